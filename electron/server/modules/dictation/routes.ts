import { Readable } from 'node:stream'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { serveUpload } from '#server/http/upload-route.ts'
import { readStudy } from '#server/modules/studies/service.ts'
import { requirePermission, windowCaller } from '#server/modules/users/caller.ts'
import {
  DICTATION_MEDIA_TYPE,
  dashboardDictation,
  dictatedSeconds,
  MAX_DICTATION_BYTES,
} from '#shared/contract/dictation.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { SpeechEngine } from './speech-engine.ts'
import { silentWav } from './wav.ts'

/** The answer may follow the engine's time by so much. */
const RESPONSE_MARGIN_MS = 30_000

/** Declares the calls about dictation (`shared/contract/dictation.ts`). */
export function serveDictation(app: HttpApp, context: Context, engine: SpeechEngine): void {
  const callerOf = windowCaller(context)
  const { transcribe, ...others } = dashboardDictation
  serveAll(app, others, {
    state: () => ({ isConfigured: engine.isConfigured, hasSecret: engine.hasSecret }),
    setSecret({ body: { secret }, user }) {
      engine.setSecret(secret, userActor(user.userId))
      return { success: true as const }
    },
    test: () => testEngine(engine),
  })
  const rule = {
    mediaType: DICTATION_MEDIA_TYPE,
    maxBytes: MAX_DICTATION_BYTES,
    responseTimeoutMs: () => engine.budgetMs + RESPONSE_MARGIN_MS,
  }
  serveUpload(app, transcribe, rule, async ({ params, query, user, content, bytes, signal }) => {
    const caller = callerOf(user)
    requirePermission(caller, 'writeReports')
    readStudy(context, caller, 'scribe', params.studyId)
    if (!engine.isConfigured) throw new ApiError('refused', message('dictation.not-configured'))
    // Before anything leaves the gateway; how long it is, and nothing of what was said.
    note(context, userActor(user.userId), 'dictation.transcribe', params.studyId, {
      seconds: Math.round(dictatedSeconds(bytes)),
    })
    return { text: await engine.transcribe({ content, bytes, ...query }, signal) }
  })
}

async function testEngine(engine: SpeechEngine) {
  const audio = silentWav(1)
  const startedAt = performance.now()
  try {
    const content = Readable.from([audio])
    const recording = { content, bytes: audio.length, language: 'en' } as const
    await engine.transcribe(recording, new AbortController().signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { success: false, message: error.explanation }
  }
  const seconds = Math.max(1, Math.round((performance.now() - startedAt) / 100)) / 10
  return { success: true, message: message('dictation.test-passed', { seconds }) }
}
