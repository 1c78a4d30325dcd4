// Requests to the gateway: POST over a few reused connections, with the members of the body as given.

import http from 'node:http';

import { parse } from './json.js';

export class Client {
  #url;
  #token;
  #agent;
  #sent = 0;

  constructor(url, token, connections) {
    this.#url = new URL(url);
    this.#token = token;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /**
   * The response to a request, which has its own token. So the gateway has learned no notification ids from earlier requests.
   *
   * @param {{ query: string, variables?: string, operationName?: string }} request variables as the text of their JSON
   * @returns {Promise<{ status: number, text: string, data?: Map<string, any>, errors: Map<string, any>[] }>}
   */
  async send(request) {
    const { status, text } = await this.sendFor('application/json', request);
    const answer = parse(text);
    return { status, text, data: answer.get('data') ?? undefined, errors: answer.get('errors') ?? [] };
  }

  /** The status, the media type and the body of the response to a request with the header Accept. */
  sendFor(accept, { query, variables, operationName }) {
    const members = [`"query":${JSON.stringify(query)}`];
    if (variables !== undefined) members.push(`"variables":${variables}`);
    if (operationName !== undefined) members.push(`"operationName":${JSON.stringify(operationName)}`);
    const body = Buffer.from(`{${members.join(',')}}`);
    const headers = {
      accept, authorization: `Bearer ${this.#token}-${++this.#sent}`, 'content-type': 'application/json', 'content-length': body.length,
    };
    return new Promise((resolve, reject) => {
      const request = http.request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve({
          status: response.statusCode, contentType: response.headers['content-type'], text: Buffer.concat(parts).toString(),
        }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close() {
    this.#agent.destroy();
  }
}
