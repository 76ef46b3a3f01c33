// Explains in one sentence why npm could not install the packages.

/** What npm prints, and what to do about it. The first that matches counts. */
const FAULTS = [
  [
    /\b407\b|Proxy Authentication Required/i,
    ({ proxy }) =>
      `The proxy${proxy} requires a password: set HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT, then run this command again.`,
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)|DEPTH_ZERO_SELF_SIGNED|unable to (verify|get)[a-z ]* certificate/i,
    ({ registry }) =>
      `The certificate of the npm registry ${registry} is not trusted: set NODE_EXTRA_CA_CERTS to the file of your proxy’s certificate, then run this command again.`,
  ],
  [
    /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|network (timeout|request)|idle timeout|tunneling socket/i,
    ({ registry, proxy }) =>
      proxy
        ? `The npm registry ${registry} cannot be reached through the proxy${proxy}: correct HTTPS_PROXY or npm’s setting https-proxy, then run this command again.`
        : `The npm registry ${registry} cannot be reached: connect this PC to the internet, or set HTTPS_PROXY to your proxy, then run this command again.`,
  ],
]

/**
 * @param {string} stderr what npm printed
 * @param {string} registry URL of the registry
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} undefined where the fault is another one
 */
export function installFault(stderr, registry, env) {
  const proxy = proxyOf(env)
  return FAULTS.find(([form]) => form.test(stderr))?.[1]({ registry, proxy: proxy && ` ${proxy}` })
}

/** The proxy without user and password; '' without one. */
function proxyOf(env) {
  const given = [
    ...[env.npm_config_https_proxy, env.https_proxy, env.HTTPS_PROXY],
    ...[env.npm_config_proxy, env.http_proxy, env.HTTP_PROXY],
  ].find(Boolean)
  if (!given) return ''
  try {
    return new URL(given).origin
  } catch {
    return given
  }
}
