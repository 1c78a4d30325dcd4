# Completes pixgraph in fish: pixgraph completion fish | source
complete -c pixgraph -f
complete -c pixgraph -l help -s h -d 'print the help'
complete -c pixgraph -n __fish_use_subcommand -l version -d 'print the version'
{{range $command := .Commands -}}
complete -c pixgraph -n __fish_use_subcommand -a {{.Name}} -d '{{fish .Help}}'
{{if .Arguments -}}
complete -c pixgraph -n '__fish_seen_subcommand_from {{.Name}}' -a '{{join .Arguments}}'
{{end -}}
{{if .Files -}}
complete -c pixgraph -n '__fish_seen_subcommand_from {{.Name}}' -F
{{end -}}
{{range .Flags -}}
complete -c pixgraph -n '__fish_seen_subcommand_from {{$command.Name}}' -l {{dashed .Name}}{{if .Type}} -x{{end}} -d '{{fish .Help}}'
{{end -}}
{{end -}}
{{range .Flags -}}
complete -c pixgraph -l {{dashed .Name}} {{if eq .Type "file"}}-r -F{{else}}-x{{end}} -a '{{join .Values}}' -d '{{fish .Help}}'
{{end -}}
