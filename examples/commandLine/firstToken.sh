#!/bin/sh
# The commands of docs/how-to/first-token.md. LOGIN_SERVICE, LOGIN_USER and LOGIN_PASSWORD are in the environment.
set -e

# #region import
node login.mjs "$LOGIN_SERVICE" --refresh-token | npx webextract token import --yes
# #endregion

# #region command
pulumi config set webextract:credentialCommand "node login.mjs $LOGIN_SERVICE"
# #endregion
