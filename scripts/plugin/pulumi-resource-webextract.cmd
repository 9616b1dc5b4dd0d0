@echo off
where /q node || (echo pulumi-resource-webextract needs Node.js 20.19 or a later version 20, or 22.12 or later, and PATH has no node. 1>&2 & exit /b 1)
node "%~dp0dist\plugin\main.js" %*
