import { useEffect, useMemo, useRef, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Session } from "../../signin/session.ts";
import { ListView } from "../list/list.tsx";
import { Home } from "../find/home.tsx";
import { DepositView } from "../payment/deposit.tsx";
import { NotificationView } from "../payment/notification.tsx";
import { TransactionView } from "../payment/transaction.tsx";
import { WithdrawalView } from "../payment/withdrawal.tsx";
import { goTo, home, hrefOf, useRoute, type Route } from "../route.ts";
import type { View } from "../view.ts";
import { shell } from "../words/shell.ts";
import { keepLanguage, LanguageContext, languages, type Language } from "../words/words.tsx";
import { FeesContext } from "../parts/fees.ts";
import { Empty } from "../parts/panel.tsx";
import { Bar } from "./bar.tsx";
import { Boundary } from "./boundary.tsx";
import type { Places } from "./places.ts";
import { SignIn } from "./signin.tsx";
import { titleOf } from "./title.ts";
import { Unknown } from "./unknown.tsx";
import { Search } from "../find/search.ts";

interface Props extends View {
  session: Session;
  places: Places;
  language: Language;
}

/** The page: the bar, and a view by the URL, or the sign-in in its place. */
export function Page({ config, session, gateway, places, language: preferred }: Props) {
  const [language, setLanguage] = useState(preferred);
  const route = useRoute();
  const { token, byIssuer, ended, signIns } = useObservable(session.state);
  // Outside the view, so that a search is still there after the user has looked at a result. Another user gets a new view. A user
  // whose token is renewed after a reload keeps it, with a search that was begun before the new token arrived.
  const subject = token === null && byIssuer && !ended ? undefined : token?.subject ?? null;
  const user = useRef({ subject });
  if (user.current.subject === undefined) user.current.subject = subject;
  else if (subject !== undefined && subject !== user.current.subject) user.current = { subject };
  const search = useMemo(() => new Search(gateway, config), [gateway, config, user.current]);
  useEffect(() => () => search.stop(), [search]);
  useEffect(() => {
    if (signIns > 0) search.signedIn(); // the other views read again by themselves
  }, [search, signIns]);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      goTo(home);
      setTimeout(() => document.getElementById("find-text")?.focus()); // after the view is shown
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, []);
  const main = useRef<HTMLElement>(null);
  const view = viewKey(route);
  const shown = useRef(view);
  useEffect(() => {
    document.documentElement.lang = languages[language].locale;
    document.title = titleOf(route, shell[language]);
  }, [language, hrefOf(route)]);
  useEffect(() => {
    if (shown.current === view) return; // a list keeps the focus while its days, its filter and its page change
    shown.current = view;
    return main.current === null ? undefined : places.show(main.current);
  }, [view]);
  const change = (chosen: Language) => {
    keepLanguage(chosen);
    setLanguage(chosen);
  };
  return (
    <LanguageContext value={language}><FeesContext value={config.fees}>
      <Bar route={route} session={session} language={language} changeLanguage={change} />
      <main ref={main} id="content" tabIndex={-1}>
        {token === null && !(byIssuer && !ended) ? <SignIn session={session} /> : (
          <Boundary key={`${signIns} ${view}`} href={hrefOf(route)} instead={<Empty>{shell[language].notDrawn}</Empty>}>
            <Shown route={route} config={config} gateway={gateway} search={search} />
          </Boundary>
        )}
      </main>
    </FeesContext></LanguageContext>
  );
}

/** Whether a key is for a control. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

/** A view keeps its state while this stays the same. */
function viewKey(route: Route): string {
  return route.view === "list" ? route.kind : hrefOf(route);
}

function Shown({ route, search, ...view }: View & { route: Route; search: Search }) {
  const seek = (text: string) => {
    goTo(home);
    void search.find(text, search.state.get().span);
  };
  switch (route.view) {
    case "unknown":
      return <Unknown />;
    case "home":
      return <Home {...view} search={search} />;
    case "list":
      return <ListView {...view} route={route} />;
    case "transaction":
      return <TransactionView {...view} seek={seek} id={route.id} />;
    case "withdrawal":
      return <WithdrawalView {...view} seek={seek} id={route.id} />;
    case "notification":
      return <NotificationView {...view} seek={seek} id={route.id} />;
    case "deposit":
      return <DepositView {...view} seek={seek} id={route.id} createdAt={route.createdAt} />;
  }
}
