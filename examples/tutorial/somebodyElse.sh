curl http://127.0.0.1:8787/task/updateLoopItems \
  --header "Authorization: Bearer emulator-access-token" \
  --header "Content-Type: application/json" \
  --data '{
    "taskId": "'"$TASK"'",
    "actionId": "shelves",
    "loopType": "UrlList",
    "loopItems": ["http://127.0.0.1:8787/bookshop/shelves/kids/"],
    "isAppend": true
  }'
