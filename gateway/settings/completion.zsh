#compdef pixgraph
# Completes pixgraph in zsh: source <(pixgraph completion zsh)
_pixgraph() {
  local -a flags=(
    '(-h --help)'{-h,--help}'[print the help]'
{{- range .Flags}}
    '--{{dashed .Name}}=[{{zsh .Help}}]:{{zsh .Type}}:{{if .Values}}({{join .Values}}){{else if eq .Type "file"}}_files{{end}}'
{{- end}}
  )
  local -a commands=({{range .Commands}}
    '{{.Name}}:{{zsh .Help}}'
{{- end}}
  )
  ((CURRENT > 2)) || flags+=('--version[print the version]' '1:command:{_describe command commands}')
  ((CURRENT == 2)) || case $words[2] in
{{- range .Commands}}
  {{.Name}}) flags+=('1:command:' {{if .Arguments}}'2:argument:({{join .Arguments}})'{{end}}{{if .Files}}'*:file:_files'{{end}}{{range .Flags}} '--{{dashed .Name}}{{if .Type}}={{end}}[{{zsh .Help}}]{{if .Type}}:{{.Type}}:{{end}}'{{end}}) ;;
{{- end}}
  esac
  _arguments $flags
}
if [[ $funcstack[1] == _pixgraph ]]; then
  _pixgraph "$@"
else
  compdef _pixgraph pixgraph
fi
