#!/bin/sh
# The commands of docs/how-to/command-line.md, against the service and the task of the environment.
set -e

# #region doctor
npx webextract doctor
# #endregion

# #region probe
npx webextract probe
npx webextract probe --task "$TASK" > report.md
# #endregion

# #region run
npx webextract run "$TASK" --yes
# #endregion

# #region script
lotNo=$(npx webextract run "$TASK" --yes --no-wait --json | node -p 'JSON.parse(require("fs").readFileSync(0)).lotNo')
npx webextract run "$TASK" --lot-no "$lotNo" --timeout 7200
# #endregion

# #region status
npx webextract status "$TASK"
npx webextract stop "$TASK" --yes
# #endregion

# #region rows
npx webextract rows "$TASK" --lot-no "$lotNo" --limit 5
# #endregion

# #region export
npx webextract export "$TASK" --lot-no "$lotNo" --format csv --out "rows/$lotNo.csv"
npx webextract export "$TASK" --lot-no "$lotNo" | head -n 1
# #endregion

# #region tokens
npx webextract token status
npx webextract token refresh --yes
# #endregion
