module classify

go 1.20
