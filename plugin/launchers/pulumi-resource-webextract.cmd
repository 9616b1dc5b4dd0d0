@echo off
where node >nul 2>nul
if errorlevel 1 (
  echo pulumi-resource-webextract needs Node.js 20.19 or a later version 20, or Node.js 22.12 or later, and there is no node on PATH. 1>&2
  exit /b 1
)
node "%~dp0main.js" %*
