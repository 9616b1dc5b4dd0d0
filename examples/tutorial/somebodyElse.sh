curl http://127.0.0.1:8787/task/updateActionProperties \
  --header "Authorization: Bearer emulator-access-token" \
  --header "Content-Type: application/json" \
  --data '{
    "taskId": "'"$TASK"'",
    "actions": [
      { "actionType": "PaginationAction", "actionId": "pages", "properties": [{ "name": "MaxPages", "value": "9" }] }
    ]
  }'
