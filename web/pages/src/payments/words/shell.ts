import { both, section, type Both } from "./words.tsx";

export const shell = section({
  payments: both("Payments", "Pagamentos"),
  deposits: both("Deposits", "Depósitos"),
  withdrawals: both("Withdrawals", "Saques"),
  explorer: both("GraphiQL", "GraphiQL"),
  views: both("Sections", "Seções"),
  language: both("Language", "Idioma"),
  notDrawn: both(
    "This view cannot be shown. Its link or a record in it may be wrong. The rest of the page works.",
    "Não é possível mostrar esta página. O link ou um registro dela pode estar errado. O resto funciona.",
  ),
  unknownView: both("No such view", "Página não encontrada"),
  brokenLink: both(
    "This link is incomplete or wrong. Ask for it again, or search:",
    "Este link está incompleto ou errado. Peça-o de novo ou busque:",
  ),
  skip: both("Skip to the content", "Ir para o conteúdo"),
  keep: both("Stay signed in in this browser tab", "Continuar conectado nesta aba do navegador"),
  keepWhy: both(
    "Otherwise a reload forgets a pasted token. It is kept in sessionStorage, for this tab only.",
    "Sem isso, recarregar a página esquece um token colado. Ele fica em sessionStorage, apenas nesta aba.",
  ),
  records: both(
    { transaction: "Payment", withdrawal: "Withdrawal", deposit: "Deposit", notification: "Webhook" },
    { transaction: "Pagamento", withdrawal: "Saque", deposit: "Depósito", notification: "Webhook" },
  ),
  signIn: both("Sign in", "Entrar"),
  signInAgain: both("Sign in again", "Entrar novamente"),
  signOut: both("Sign out", "Sair"),
  signInTitle: both("Sign in to see payments", "Entre para ver os pagamentos"),
  signInWhy: both(
    "This page shows what your own access may read. After signing in you continue here.",
    "Esta página mostra o que o seu próprio acesso permite ler. Depois de entrar, você continua aqui.",
  ),
  pasteWhy: both("This gateway has no sign-in. Paste an access token.", "Este gateway não tem login. Cole um token de acesso."),
  waiting: both("Continue in the window of the issuer.", "Continue na janela do provedor de identidade."),
  ended: both("Your session has ended. Sign in again to continue.", "Sua sessão terminou. Entre novamente para continuar."),
  signInReasons: {
    BLOCKED: both(
      "The browser blocked the window. Allow pop-ups of this page, and try again.",
      "O navegador bloqueou a janela. Permita pop-ups desta página e tente novamente.",
    ),
    DENIED: both("The issuer refused.", "O provedor de identidade recusou o acesso."),
    UNREACHABLE: both("The issuer does not respond.", "O provedor de identidade não responde."),
    NO_ANSWER: both("The issuer did not respond in time.", "O provedor de identidade não respondeu a tempo."),
  } as Record<string, Both<string>>,
  signInFailed: both((why: string) => `Sign-in failed: ${why}`, (why) => `Não foi possível entrar: ${why}`),
  paste: both("Paste a token", "Colar um token"),
  token: both("Access token (JWT)", "Token de acesso (JWT)"),
  useToken: both("Use this token", "Usar este token"),
  tokenInvalid: both(
    "This is not an access token (JWT), which has three parts, separated by dots.",
    "Isto não é um token de acesso (JWT), que tem três partes, separadas por pontos.",
  ),
  tokenExpired: both("This token has expired.", "Este token expirou."),
  cancel: both("Cancel", "Cancelar"),
  signedInAs: both((subject: string) => `Signed in as ${subject}`, (subject) => `Sessão de ${subject}`),
});
