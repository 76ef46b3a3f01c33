import { type Actor, keyActor, userActor } from '#server/audit-log/audit.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import type { ApiKeyCaller, Caller } from '#server/modules/users/caller.ts'
import { sandbox as calls, dashboardSandbox } from '#shared/contract/sandbox.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { SandboxActions } from './bench.ts'
import type { Sandbox } from './sandbox.ts'

/** Only a test key is admitted, and only the gateway of the sandbox accepts test keys. */
function requireApiKey(caller: Caller): ApiKeyCaller {
  if (caller.kind === 'api-key') return caller
  throw new ApiError('not-permitted', message('http.test-key-needed'))
}

/**
 * Serves the calls of the sandbox. The live gateway declares them too, and refuses every caller.
 * @param bench undefined in the live gateway
 * @param empty empties the sandbox after the response; undefined in the live gateway
 */
export function serveSandboxCalls(
  app: HttpApp,
  bench: SandboxActions | undefined,
  empty: ((actor: Actor) => void) | undefined,
): void {
  const requireBench = (): SandboxActions => {
    if (bench) return bench
    throw new ApiError('not-permitted', message('http.test-key-needed'))
  }
  serveAll(app, calls, {
    read: () => requireBench().state(),
    setWebhook: ({ body, caller }) => requireBench().setWebhook(body, requireApiKey(caller)),
    runExam: ({ body }) => requireBench().runExam(body),
    signReport: ({ body, caller }) => requireBench().signReport(body, requireApiKey(caller)),
    sendEvent: ({ body, caller }) => requireBench().sendEvent(body, requireApiKey(caller)),
    advance: () => requireBench().advance(),
    empty({ caller }) {
      empty?.(keyActor(requireApiKey(caller).apiKeyId))
      return { success: true, message: message('sandbox.being-emptied') }
    },
  })
}

/**
 * Serves the window's calls about the sandbox.
 * @param sandbox undefined in the gateway of the sandbox
 */
export function serveSandboxWindow(app: HttpApp, sandbox: Sandbox | undefined): void {
  const requireSandbox = (): Sandbox => {
    if (sandbox) return sandbox
    throw new ApiError('refused', message('sandbox.is-the-sandbox'))
  }
  serveAll(app, dashboardSandbox, {
    read: () => requireSandbox().overview(),
    async switch({ body, user }) {
      await requireSandbox().switch(body.isOn, userActor(user.userId))
      return requireSandbox().overview()
    },
    async createKey({ body, user }) {
      const { apiKey, key } = await requireSandbox().createKey(
        body.description,
        userActor(user.userId),
      )
      const { oldLast4: _, oldExpiresAt: __, ...row } = apiKey
      return { apiKey: { ...row, old: null }, key }
    },
    revokeKey({ params, user }) {
      requireSandbox().revokeKey(params.apiKeyId, userActor(user.userId))
      return { success: true }
    },
    setWebhook({ body: { url, ...options }, user }) {
      const secret = requireSandbox().setWebhook(url, options, userActor(user.userId))
      return { overview: requireSandbox().overview(), secret }
    },
    async empty({ user }) {
      await requireSandbox().empty(userActor(user.userId))
      return requireSandbox().overview()
    },
  })
}
