package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// convert is the last step of `pulumi convert`, which asks the language hosts too: from a program in PCL to its files in a language.
func convert(file, version, program, language string) (map[string][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pkg, err := bind(text, version)
	if err != nil {
		return nil, err
	}
	source, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	parser := syntax.NewParser()
	if err := parser.ParseFile(source, filepath.Base(program)); err != nil {
		return nil, err
	}
	bound, diagnostics, err := pcl.BindProgram(parser.Files, onePackage{pkg}, pcl.NonStrictBindOptions()...)
	if err := firstOf(err, diagnostics); err != nil {
		return nil, err
	}
	generate, ok := map[string]func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error){
		"nodejs": nodejs.GenerateProgram,
		"python": python.GenerateProgram,
	}[language]
	if !ok {
		return nil, fmt.Errorf("no such language; valid: nodejs, python")
	}
	files, diagnostics, err := generate(bound)
	return files, firstOf(err, diagnostics)
}

func firstOf(err error, diagnostics hcl.Diagnostics) error {
	if err == nil && diagnostics.HasErrors() {
		return diagnostics
	}
	return err
}

// onePackage is all that a program of this package needs.
type onePackage struct{ pkg *schema.Package }

func (one onePackage) LoadPackage(string, *semver.Version) (*schema.Package, error) {
	return one.pkg, nil
}

func (one onePackage) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return one.pkg, nil
}
