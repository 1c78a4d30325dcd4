import { useEffect } from "react";
import type { Config } from "../../base/config.ts";
import { useObservable } from "../../base/observable.ts";
import type { Gateway } from "../gateway.ts";
import { FailedPanel } from "./failedpanel.tsx";
import { Form } from "./form.tsx";
import { NewestDeposits } from "./newest.tsx";
import { Results } from "./results.tsx";
import type { Search } from "./search.ts";
import { Shortcuts } from "./shortcuts.tsx";

interface Props {
  config: Config;
  gateway: Gateway;
  search: Search;
}

/** The first view: a field that finds a payment, and below it the results, or what a user wants to see first. */
export function Home({ config, gateway, search }: Props) {
  const { meanings } = useObservable(search.state);
  useEffect(() => search.failed.start(), [search]);
  return (
    <>
      <Form search={search} />
      {meanings !== null ? (
        <Results search={search} config={config} gateway={gateway} />
      ) : (
        <>
          <FailedPanel failed={search.failed} links={config.links} />
          <Shortcuts />
          <NewestDeposits config={config} gateway={gateway} />
        </>
      )}
    </>
  );
}
