import { channelName } from "./answers.ts";

// The issuer redirects here, in a window or a hidden frame. First, code and state are removed from the URL.
const answer = location.search;
history.replaceState(null, "", location.pathname);

const channel = new BroadcastChannel(channelName);
channel.postMessage(answer);
channel.close();
window.close(); // closes a window that a script opened; does nothing in a frame
