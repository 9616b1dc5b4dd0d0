#!/bin/sh
# Tries the tasks that a branch changes, and writes review.md: sh trial.sh LABEL. With the same label, no run starts twice.
set -eu
label="$1"
failed=0

# #region trial
pulumi preview --stack production --json --show-sames > plan.json
node targets.mjs > targets
if [ -s targets ]; then
  WEBEXTRACT_RUN_LABEL="$label" xargs -0 pulumi up --yes --stack trial --target-dependents < targets || failed=1
fi
# #endregion

# #region review
npx webextract review --base-stack production --head-stack trial --plan plan.json \
  --fail-on fields-gone --fail-on 'filled:price<-5%' > review.md || failed=1
# #endregion
test -s review.md || rm -f review.md
exit "$failed"
