#!/bin/sh
# The commands of docs/how-to/first-token.md. LOGIN_PASSWORD and LOGIN_USER are in the environment.
set -e

# #region import
node login.mjs "$WEBEXTRACT_BASE_URL" --refresh-token | npx webextract token import --yes
# #endregion

# #region command
pulumi config set webextract:credentialCommand "node login.mjs $WEBEXTRACT_BASE_URL"
# #endregion
