// Writes the SDK for Java from a schema of a Pulumi package: java SCHEMA VERSION FOLDER.
//
// The generator for Java has a release of its own, which needs an earlier version of Pulumi's packages than the other languages.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	spec.Version = os.Args[2]
	pkg, diagnostics, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	check(err)
	if diagnostics.HasErrors() {
		check(diagnostics)
	}
	files, err := java.GeneratePackage("pulumi-webextract", pkg, nil, nil, false, false)
	check(err)
	for name, content := range files {
		path := filepath.Join(os.Args[3], name)
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, content, 0o644))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
