import { z } from 'zod'
import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { serveRedirect } from '#server/http/redirect-route.ts'
import { signInTokenOf } from '#server/http/sign-in-cookie.ts'
import { createToken } from '#server/platform/token.ts'
import {
  dashboardIdentityProvider,
  PROVIDER_CALLBACK_PATH,
  PROVIDER_END_PATH,
  PROVIDER_START_PATH,
} from '#shared/contract/identity-provider.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { IdentityProvider } from './identity-provider.ts'
import type { ProviderSignIns } from './provider-sign-in.ts'
import { sessionOriginOf, type sessionReply, startSession } from './session-routes.ts'
import { runningSession } from './sessions.ts'

/** What is passed on to the window of the provider's answer. */
const Answer = z.object({
  state: z.string().max(200),
  code: z.string().max(4000).optional(),
  iss: z.string().max(500).optional(),
  error: z.string().max(200).optional(),
})

/**
 * Serves sign-in at the identity provider, and what its settings screen needs.
 * @param bases the addresses under which browsers open the window
 */
export function serveIdentityProvider(
  app: HttpApp,
  context: Context,
  { provider, signIns }: { readonly provider: IdentityProvider; readonly signIns: ProviderSignIns },
  show: ReturnType<typeof sessionReply>,
  bases: () => readonly string[],
): void {
  serveAll(app, dashboardIdentityProvider, {
    async begin({ body, origin, session, signIn }) {
      const browser = signIn.token ?? createToken()
      const path = await signIns.begin(body.purpose, origin, browser, session.token)
      signIn.set(browser)
      return { path }
    },
    async finish({ body, session, signIn, workstation }) {
      const sessionOrigin = sessionOriginOf(context, session, workstation)
      const done = await signIns.finish(body, signIn.token, session.token, sessionOrigin)
      const { purpose } = done
      if (done.signIn)
        return { purpose, session: startSession(context, show, session, done.signIn) }
      const running = runningSession(context, session.token ?? '', 'background')
      return { purpose, session: show(running?.user, running?.isLocked) }
    },
    provider: () => ({
      hasSecret: provider.hasSecret,
      redirectUrls: bases().map((base) => `${base}${PROVIDER_CALLBACK_PATH}`),
      signedOutUrls: bases().map((base) => `${base}${PROVIDER_END_PATH}`),
    }),
    setSecret({ body: { secret }, user }) {
      provider.setSecret(secret, userActor(user.userId))
      return { success: true as const }
    },
    test: async () => {
      try {
        const issuer = await provider.test()
        return { success: true, message: message('users.provider-test-passed', { issuer }) }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { success: false, message: error.explanation }
      }
    },
  })
  serveBrowserPaths(app, signIns)
}

/**
 * The paths that a browser opens itself. They change nothing: the provider's answer is handed to the
 * page, whose call carries the cookies and the proof that the page is the gateway's own.
 */
function serveBrowserPaths(app: HttpApp, signIns: ProviderSignIns): void {
  serveRedirect(app, PROVIDER_START_PATH, (request) => {
    const { data } = Answer.safeParse(request.query)
    const url = data && signIns.urlOf(data.state, signInTokenOf(request))
    return url ?? '/#/oidc'
  })
  serveRedirect(app, PROVIDER_CALLBACK_PATH, ({ query }) => {
    const { data } = Answer.safeParse(query)
    // In the fragment, which is not sent to any server.
    const given = Object.entries(data ?? {}).filter(([, value]) => value !== undefined)
    return data ? `/#/oidc?${new URLSearchParams(given as [string, string][])}` : '/#/oidc'
  })
  serveRedirect(app, PROVIDER_END_PATH, () => '/#/oidc?ended=1')
}
