#!/bin/sh
# The commands of docs/how-to/adopt-a-task.md and ci.md, in the folder of a Pulumi project.
set -e

# #region adopt
npx webextract adopt "$TASK" --out tasks --stack dev
# #endregion

# #region import
npx webextract adopt --ids-file tasks.csv --import-file tasks.json --types NavigateAction,LoopAction --stack dev
pulumi import --file tasks.json --out tasks.yaml
# #endregion

# #region validate
npx webextract validate tasks
# #endregion

# #region report
npx webextract plan-report plan.json > report.md
# #endregion
