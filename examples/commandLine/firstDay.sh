#!/bin/sh
# The commands of docs/how-to/first-day.md, against the service, the task and the group of the environment.
set -e

# #region doctor
npx webextract doctor
# #endregion

# #region probe
npx webextract probe --write --from "$TASK" --group "$GROUP" --start --out probed --yes
# #endregion

# #region settings
sh probed/config.sh
# #endregion
