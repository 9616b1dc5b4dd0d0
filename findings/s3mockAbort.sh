#!/usr/bin/env bash
# S3Mock 5.2.0 of Adobe (Maven Central, com.adobe.testing:s3mock), a server that imitates Amazon S3.
#
# Seen:
#  - AbortMultipartUpload removes the object that has the key of the upload, also one that was there before the upload began. Amazon S3 removes the parts only.
#  - In a bucket with versions, "If-None-Match: *" of PutObject is refused with 412 after the object was removed (HEAD: 404).
# A program that aborts its upload because somebody else has written the object then finds none, and one that takes 412 for "it exists" never writes it again.
#
# Needs Java 17, Maven, python3 and curl. Exits with 0 as long as S3Mock behaves like this.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>x</groupId><artifactId>x</artifactId><version>1</version><packaging>pom</packaging><dependencies>
<dependency><groupId>com.adobe.testing</groupId><artifactId>s3mock</artifactId><version>5.2.0</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.18</version></dependency>
</dependencies></project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=jars > maven.log
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
java -cp 'jars/*' com.adobe.testing.s3mock.S3MockApplication --server.port=0 "--http.port=$port" > log 2>&1 &
server=$!
store="http://127.0.0.1:$port"
curl --silent --output /dev/null --retry 900 --retry-delay 1 --retry-connrefused --request PUT "$store/bucket"

status() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
put() { status --request PUT --data rows --header 'If-None-Match: *' "$store/$1"; }
seen="PUT $(put bucket/key), "
id=$(curl --silent --request POST "$store/bucket/key?uploads" | sed -n 's/.*<UploadId>\(.*\)<\/UploadId>.*/\1/p')
seen+="HEAD $(status --head "$store/bucket/key"), abort $(status --request DELETE "$store/bucket/key?uploadId=$id"), HEAD $(status --head "$store/bucket/key"); "
curl --silent --output /dev/null --request PUT "$store/versions"
versions='<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>'
curl --silent --output /dev/null --request PUT --data "$versions" "$store/versions?versioning"
seen+="with versions: PUT $(put versions/key), DELETE $(status --request DELETE "$store/versions/key"), "
seen+="HEAD $(status --head "$store/versions/key"), PUT $(put versions/key)"
echo "$seen"
test "$seen" = "PUT 200, HEAD 200, abort 204, HEAD 404; with versions: PUT 200, DELETE 204, HEAD 404, PUT 412"
