// Writes the SDK for Java or C# from a schema of a Pulumi package: earlier java|dotnet SCHEMA VERSION FOLDER.
//
// These two generators come with an earlier version of Pulumi's packages than those of the other languages.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	spec.Version = os.Args[3]
	// The generator for C# downloads it, which must not need a network.
	spec.LogoURL = httptest.NewServer(http.NotFoundHandler()).URL
	pkg, diagnostics, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	check(err)
	if diagnostics.HasErrors() {
		check(diagnostics)
	}
	var files map[string][]byte
	if os.Args[1] == "java" {
		files, err = java.GeneratePackage("pulumi-webextract", pkg, nil, nil, false, false)
	} else {
		files, err = dotnet.GeneratePackage("pulumi-webextract", pkg, nil, nil)
	}
	check(err)
	for name, content := range files {
		path := filepath.Join(os.Args[4], name)
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, content, 0o644))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
