#!/bin/sh
set -eu
cd "$(dirname "$0")"
WEBEXTRACT_RUN_LABEL=$(date -u +%F)
export WEBEXTRACT_RUN_LABEL
pulumi up --yes --stack production --continue-on-error
