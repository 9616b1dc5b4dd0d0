#!/bin/sh
set -eu
cd "$(dirname "$0")"
# cron gives a job neither the PATH nor the variables of your shell.
export PATH="$HOME/.pulumi/bin:/usr/local/bin:$PATH"
set -a
. ./nightly.env
set +a
: "${PULUMI_CONFIG_PASSPHRASE:?is missing in nightly.env}"
[ "${WEBEXTRACT_CREDENTIALS-}" = apiKey ] || : "${WEBEXTRACT_REFRESH_TOKEN:?is missing in nightly.env}"
: "${WEBEXTRACT_TOKEN_STORE:?is missing in nightly.env}"
: "${WEBEXTRACT_API_KEY:?is missing in nightly.env}"
for program in node pulumi; do
  command -v "$program" >/dev/null || { echo "nightly.sh: $program is not on the PATH" >&2; exit 1; }
done
WEBEXTRACT_RUN_LABEL=$(date -u +%F)
export WEBEXTRACT_RUN_LABEL
pulumi up --yes --stack production --continue-on-error
