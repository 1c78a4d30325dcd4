import { channelName } from "./answers.ts";

// The issuer redirects here, in a window or a hidden frame. Code and state leave the address before anything else.
const answer = location.search;
history.replaceState(null, "", location.pathname);

const channel = new BroadcastChannel(channelName);
channel.postMessage(answer);
channel.close();
window.close(); // a window that a script opened; in a frame this does nothing
