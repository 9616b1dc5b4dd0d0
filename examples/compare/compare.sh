#!/bin/sh
# The commands of docs/how-to/compare-rows.md and docs/reference/cli.md.
set -e

# #region fields
npx webextract compare prod.csv trial.csv
# #endregion

# #region rows
npx webextract compare prod.csv trial.csv --key sku
# #endregion

# #region markdown
npx webextract compare prod.csv trial.csv --key sku --markdown > report.md
# #endregion

# #region page
npx webextract compare prod.csv trial.csv --key sku --html rows.html
# #endregion

# #region history
npx webextract compare --history '*.csv' --html history.html
# #endregion

# #region json
npx webextract compare prod.csv trial.csv --key sku --json > compared.json
# #endregion

# #region runs
npx webextract compare rows.ndjson "$TASK:$LOT_NO"
# #endregion

# #region private
npx webextract compare prod.csv trial.csv --key sku --no-values --markdown > private.md
# #endregion

# #region conditions
npx webextract compare prod.csv trial.csv --no-values --fail-on 'filled:price<-5%' --fail-on fields-gone --fail-on 'rows<-10%' > failed.txt
# #endregion
