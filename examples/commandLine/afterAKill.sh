#!/bin/sh
# The commands of docs/how-to/after-a-kill.md.
set -e

# #region continue
pulumi cancel --yes # if the stack is locked, and nothing runs any more
pulumi up --yes
# #endregion

# #region pendingCreates
pulumi refresh --yes --clear-pending-creates
# #endregion

# #region backup
cd .pulumi/stacks/PROJECT # in the folder of `pulumi login`
cp STACK.json.bak STACK.json
# #endregion
