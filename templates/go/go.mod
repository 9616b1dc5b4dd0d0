module ${PROJECT}

go 1.25
