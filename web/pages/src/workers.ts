import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JSONWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphQLWorker from "monaco-graphql/esm/graphql.worker.js?worker";

// Monaco requests its workers here. graphiql/setup-workers/vite does the same, but also logs each time.
window.MonacoEnvironment = {
  getWorker(_id: string, label: string): Worker {
    switch (label) {
      case "json":
        return new JSONWorker();
      case "graphql":
        return new GraphQLWorker();
      default:
        return new EditorWorker();
    }
  },
};
