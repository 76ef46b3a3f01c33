import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { verbatim } from '#shared/messages/message.ts'
import { pendingTimers } from '../../../../support/pending-timers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { associateRq, ECHO_CONTEXT, findRq } from '../../../../support/requestor.ts'
import { openUpperLayer } from './association-fixture.ts'

// PS3.8 §9.2 from the other end of the wire: whatever a peer sends, in whatever pieces, with
// whatever pauses, it gets what Table 9-10 lets it expect, and in the end nothing is left. The
// model is written from the words of the standard, not from the table the gateway runs.

const PDU = {
  associate: associateRq(),
  'other version': associateRq({ protocolVersion: 2 }),
  'other application': associateRq({ applicationContext: '1.2.3.4' }),
  stranger: associateRq({ callingAeTitle: 'STRANGER' }),
  accept: { ...associateRq(), type: 'A-ASSOCIATE-AC', presentationContexts: [] },
  reject: { type: 'A-ASSOCIATE-RJ', result: 1, source: 1, reason: 1 },
  release: { type: 'A-RELEASE-RQ' },
  released: { type: 'A-RELEASE-RP' },
  abort: { type: 'A-ABORT', source: 0, reason: 0 },
} as const satisfies Record<string, Pdu>
const echoRq = (messageId: number) => ({
  ...{
    commandField: COMMAND_FIELD['C-ECHO-RQ'],
    affectedSopClassUid: SOP_CLASS.verification,
    messageId,
    hasDataSet: false,
  },
})
const PLAIN = Object.fromEntries(
  Object.entries(PDU).map(([name, pdu]) => [name, () => writePdu(pdu)]),
) as unknown
const BYTES = {
  ...(PLAIN as Record<keyof typeof PDU, (id: number) => Buffer>),
  echo: (id: number) => writeMessage(1, echoRq(id), undefined, 0),
  'other context': (id: number) => writeMessage(99, echoRq(id), undefined, 0),
  response: () =>
    writeMessage(1, { commandField: 0x8030, status: 0, hasDataSet: false }, undefined, 0),
  'half a message': (id: number) => writeMessage(1, findRq(id, true), undefined, 0),
  'no PDU': () => Buffer.from([0x99, 0, 0, 0, 0, 4, 1, 2, 3, 4]),
} as const
type Sent = keyof typeof BYTES

const sentArbitrary = fc.record({
  send: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<Sent>('associate', 'echo', 'echo') },
    { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(BYTES) as Sent[])) },
  ),
  cut: fc.nat({ max: 400 }),
})
const stepArbitrary = fc.oneof(
  { weight: 8, arbitrary: sentArbitrary },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('let pass' as const),
      ms: fc.constantFrom(31_000, 125_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ do: 'work slowly' as const }, { do: 'end the work' as const }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ do: 'half close' as const }, { do: 'reset' as const }),
  },
)
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never

const PROVIDER = 2
const REASON = { none: 0, unrecognized: 1, unexpected: 2, invalid: 6 }
const IDLE_MS = 120_000
const ARTIM_MS = 30_000

/** What a peer may expect. */
class Model {
  state: 'no association' | 'open' | 'over' | 'closed' = 'no association'
  /** Answers expected, oldest first. */
  readonly expected: string[] = []
  how: 'nothing' | 'rejected' | 'released' | 'aborted' = 'nothing'
  wasOpen = false
  isSlow = false
  /** Requests that wait for their answer. */
  waiting: number[] = []
  isWithin = false
  /** What comes is no PDU any more: there is no way back into it. */
  isDeaf = false
  #silentMs = 0

  #abort(reason: number): void {
    this.expected.push(`A-ABORT ${PROVIDER}/${reason}`)
    this.#end('aborted')
    this.state = 'over'
  }
  #end(how: 'released' | 'aborted'): void {
    if (this.state === 'no association' || this.state === 'open') this.how = how
    this.waiting = []
  }
  #close(): void {
    this.#end('aborted')
    this.state = 'closed'
  }

  take(sent: Sent, id: number): void {
    if (this.isDeaf) return
    this.#silentMs = 0
    const isRequest = ['associate', 'other version', 'other application', 'stranger'].includes(sent)
    if (sent === 'abort') this.#close()
    else if (sent === 'no PDU') {
      this.isDeaf = true
      this.#abort(REASON.unrecognized)
    } else if (this.state === 'over') {
      // Table 9-10, Sta13: a request is aborted once more, everything else is not heard.
      if (isRequest) this.#abort(REASON.unexpected)
    } else if (this.state === 'no association') {
      if (isRequest) this.#associate(sent)
      else this.#abort(REASON.unexpected)
    } else if (sent === 'release' && !this.isWithin) {
      this.expected.push('A-RELEASE-RP')
      this.#end('released')
      this.state = 'over'
    } else if (!['echo', 'other context', 'response', 'half a message'].includes(sent))
      this.#abort(REASON.unexpected)
    else this.#takeData(sent, id)
  }

  #takeData(sent: Sent, id: number): void {
    // PS3.8 E.2: within a message nothing else comes.
    if (sent === 'other context' || sent === 'response' || this.isWithin) {
      this.isDeaf = true
      this.#abort(REASON.invalid)
    } else if (sent === 'half a message') this.isWithin = true
    else if (this.isSlow || this.waiting.length > 0) this.waiting.push(id)
    else this.expected.push(`response ${id}`)
  }

  #associate(sent: Sent): void {
    const rejection = { 'other version': '1/2/2', 'other application': '1/1/2', stranger: '1/1/3' }[
      sent as string
    ]
    this.state = rejection === undefined ? 'open' : 'over'
    this.wasOpen = rejection === undefined
    if (rejection !== undefined) this.how = 'rejected'
    this.expected.push(rejection === undefined ? 'A-ASSOCIATE-AC' : `A-ASSOCIATE-RJ ${rejection}`)
  }

  pass(ms: number): void {
    const was = this.#silentMs
    this.#silentMs += ms
    const isIdle = was < IDLE_MS && this.#silentMs >= IDLE_MS && this.waiting.length === 0
    // PS3.8 §9.1.5: ARTIM, before there is an association and when it is over.
    if (this.state === 'no association' || this.state === 'over') this.#close()
    else if (isIdle) {
      this.#abort(REASON.none)
      // The rest of the time is that of ARTIM.
      if (this.#silentMs - IDLE_MS >= ARTIM_MS) this.#close()
    }
  }

  endWork(): void {
    this.isSlow = false
    if (this.waiting.length > 0) this.#silentMs = 0
    for (const id of this.waiting.splice(0)) this.expected.push(`response ${id}`)
  }

  get isClosed(): boolean {
    return this.state === 'closed'
  }

  lost(): void {
    this.#close()
  }
}

function shown(pdu: Pdu, ids: () => number | undefined): string {
  if (pdu.type === 'P-DATA-TF') return `response ${ids()}`
  if (pdu.type === 'A-ABORT') return `A-ABORT ${pdu.source}/${pdu.reason}`
  if (pdu.type === 'A-ASSOCIATE-RJ')
    return `A-ASSOCIATE-RJ ${pdu.result}/${pdu.source}/${pdu.reason}`
  return pdu.type
}

describe('an association', () => {
  it(
    'gives every peer what PS3.8 lets it expect, and leaves nothing behind',
    async () => {
      let work: PromiseWithResolvers<void> | undefined
      const echo: ServiceClass = {
        sopClasses: [ECHO_CONTEXT.abstractSyntax],
        transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
        acceptsScpRole: false,
        commands: {
          [COMMAND_FIELD['C-ECHO-RQ']]: async () => {
            await work?.promise
            return { result: { status: 0 }, responses: 0 }
          },
        },
      }
      const worklist: ServiceClass = {
        ...echo,
        sopClasses: [SOP_CLASS.modalityWorklistFind],
        transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian],
        commands: {},
      }
      await using layer = await openUpperLayer({
        services: [echo, worklist],
        policy: {
          decide: ({ callingAeTitle }) =>
            callingAeTitle === 'STRANGER'
              ? { reject: { result: 1, source: 1, reason: 3, why: verbatim('unknown') } }
              : { accept: true },
        },
      })
      await fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          fc.array(stepArbitrary, { minLength: 1, maxLength: 16 }),
          async (isPolite, drawn) => {
            work?.resolve()
            work = undefined
            await using link = await layer.connect()
            const model = new Model()
            let id = 0
            const steps: Step[] = isPolite ? [{ send: 'associate', cut: 0 }, ...drawn] : drawn
            for (const step of steps) {
              if (model.isClosed) break
              // More would not be read before one is answered.
              if ('send' in step && model.waiting.length >= 6) continue
              if ('send' in step) {
                const bytes = BYTES[step.send](++id)
                const cut = step.cut % bytes.length
                if (cut > 0) {
                  link.send(bytes.subarray(0, cut))
                  await link.quiet()
                }
                link.send(bytes.subarray(cut))
                model.take(step.send, id)
              } else if (step.do === 'let pass') {
                vi.advanceTimersByTime(step.ms)
                model.pass(step.ms)
              } else if (step.do === 'work slowly') {
                work ??= Promise.withResolvers()
                model.isSlow = true
              } else if (step.do === 'end the work') {
                work?.resolve()
                work = undefined
                model.endWork()
              } else {
                if (step.do === 'reset') link.socket.resetAndDestroy()
                else link.socket.end()
                model.lost()
              }
              await link.quiet()
              const ids = link.messages().map(({ command }) => command.messageIdBeingRespondedTo)
              let at = 0
              expect(link.received.map((pdu) => shown(pdu, () => ids[at++]))).toEqual(
                model.expected,
              )
              expect(link.isClosed).toBe(model.isClosed)
              expect(link.association.isOpen).toBe(model.state === 'open')
            }
            work?.resolve()
            work = undefined
            await link.leave()
            model.lost()
            expect(link.seen).toEqual(
              model.how === 'rejected'
                ? ['rejected']
                : [
                    ...(model.wasOpen ? ['opened'] : []),
                    model.how === 'nothing' ? 'aborted' : model.how,
                  ],
            )
            const { isOpen, isBusy, aheadBytes } = link.association
            const left = { isOpen, isBusy, aheadBytes, timers: pendingTimers() }
            expect(left).toEqual({ isOpen: false, isBusy: false, aheadBytes: 0, timers: [] })
          },
        ),
        runs(150),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
