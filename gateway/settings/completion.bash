# Completes pixgraph in bash: source <(pixgraph completion bash)
_pixgraph() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $before in
{{- range .Flags}}{{if .Values}}
  --{{dashed .Name}}) words='{{join .Values}}' ;;
{{- else}}
  --{{dashed .Name}}) ;;
{{- end}}{{end}}
{{- range .Commands}}{{if .Arguments}}
  {{.Name}}) words='{{join .Arguments}}' ;;
{{- end}}{{range .Flags}}{{if .Type}}
  --{{dashed .Name}}) ;;
{{- end}}{{end}}{{end}}
  *)
    words='{{range .Flags}}--{{dashed .Name}} {{end}}--help'
    if ((COMP_CWORD == 1)); then
      words+=' --version'
      [[ $word == -* ]] || words='{{range .Commands}}{{.Name}} {{end}}'
    fi
    case ${COMP_WORDS[1]} in
{{- range .Commands}}{{if .Flags}}
    {{.Name}}) words+='{{range .Flags}} --{{dashed .Name}}{{end}}' ;;
{{- end}}{{end}}
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _pixgraph pixgraph
