#!/bin/sh
# The commands of docs/how-to/fleets.md.
set -e

# #region doctor
npx webextract doctor --stack dev
# #endregion

# #region memory
export NODE_OPTIONS=--max-old-space-size=1200
# #endregion

# #region up
export PULUMI_SKIP_CHECKPOINTS=true
pulumi up --yes --skip-preview
# #endregion
