/**
 * What a client shows of itself in mutual TLS.
 *
 * @module
 */

/** A certificate and its private key, each as PEM text. */
export interface ClientKeyPair {
  /** The certificate, with the ones that signed it. */
  readonly certificate: string;
  /** The private key. */
  readonly key: string;
}

/**
 * Sends a request; with a key pair, over a connection that shows its certificate.
 *
 * @param request the request
 * @param keyPair certificate and key for mutual TLS
 */
export type SendRequest = (request: Request, keyPair?: ClientKeyPair) => Promise<Response>;

/**
 * Sends by `fetch` of the platform, which has no way to show a certificate.
 *
 * @throws TypeError for a request that needs one
 */
export const sendByFetch: SendRequest = (request, keyPair) => {
  if (keyPair && new URL(request.url).protocol === "https:") {
    return Promise.reject(
      new TypeError("Requests with a client certificate need a function `fetch` in the table of kinds"),
    );
  }
  return fetch(request);
};
