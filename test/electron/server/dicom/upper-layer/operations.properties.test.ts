import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { basicWorklist } from '#server/dicom/scp/basic-worklist.ts'
import {
  mpps,
  storage,
  storageCommitment,
  verification,
} from '#server/dicom/scp/service-classes.ts'
import type { ProposedContext } from '#server/dicom/upper-layer/pdu.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { batchOf } from '../../../../support/dimse-server.ts'
import { pendingTimers } from '../../../../support/pending-timers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { associateRq } from '../../../../support/requestor.ts'
import { openUpperLayer } from './association-fixture.ts'

// PS3.7 §6.3, §9.3 and §10.3 on one association: whatever is asked for, and whatever of it is
// cancelled when, each request has its one final response, in the order of the requests; C-CANCEL
// ends searches and nothing else (§9.3.2.3).

const CT = '1.2.840.10008.5.1.4.1.1.2'
const context = (id: number, abstractSyntax: string): ProposedContext => ({
  ...{ id, abstractSyntax, transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian] },
})
const CONTEXTS = [
  {
    ...context(1, SOP_CLASS.verification),
    transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
  },
  context(3, SOP_CLASS.modalityWorklistFind),
  context(5, CT),
  context(7, SOP_CLASS.modalityPerformedProcedureStep),
  context(9, SOP_CLASS.storageCommitmentPushModel),
]

type Kind = 'echo' | 'find' | 'store' | 'create' | 'set' | 'action' | 'unknown'
type Request = Omit<CommandSet, 'messageId' | 'hasDataSet'>
/** How each is asked for; `works`: a service works at it, until the test says so. */
const KINDS: Readonly<
  Record<
    Kind,
    {
      readonly on: number
      readonly command: Request
      readonly works: boolean
      readonly status: number
    }
  >
> = {
  echo: {
    on: 1,
    command: {
      commandField: COMMAND_FIELD['C-ECHO-RQ'],
      affectedSopClassUid: SOP_CLASS.verification,
    },
    works: false,
    status: 0,
  },
  find: {
    ...{ on: 3, works: true, status: 0 },
    command: {
      commandField: COMMAND_FIELD['C-FIND-RQ'],
      affectedSopClassUid: SOP_CLASS.modalityWorklistFind,
      priority: 0,
    },
  },
  store: {
    ...{ on: 5, works: true, status: 0xb000 },
    command: {
      commandField: COMMAND_FIELD['C-STORE-RQ'],
      affectedSopClassUid: CT,
      affectedSopInstanceUid: '1.2.3',
      priority: 0,
    },
  },
  create: {
    ...{ on: 7, works: true, status: 0 },
    command: {
      commandField: COMMAND_FIELD['N-CREATE-RQ'],
      affectedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
    },
  },
  set: {
    ...{ on: 7, works: true, status: 0x0112 },
    command: {
      ...{
        commandField: COMMAND_FIELD['N-SET-RQ'],
        requestedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
      },
      requestedSopInstanceUid: '1.2.4',
    },
  },
  action: {
    ...{ on: 9, works: true, status: 0 },
    command: {
      ...{
        commandField: COMMAND_FIELD['N-ACTION-RQ'],
        requestedSopClassUid: SOP_CLASS.storageCommitmentPushModel,
      },
      ...{ requestedSopInstanceUid: '1.2.840.10008.1.20.1.1', actionTypeId: 1 },
    },
  },
  unknown: {
    ...{ on: 1, works: false, status: 0x0211 },
    command: {
      commandField: COMMAND_FIELD['C-GET-RQ'],
      affectedSopClassUid: SOP_CLASS.verification,
    },
  },
}

const stepArbitrary = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[]), 'find', 'find'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat({ max: 5 }) }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'end' as const }) },
)

interface Asked {
  readonly id: number
  readonly kind: Kind
  isCancelled: boolean
  hasEnded: boolean
}

const ROWS = 3
const row = Buffer.from('\x10\x00\x20\x00LO\x04\x00P-1 ', 'latin1')

describe('requests of one association', () => {
  it(
    'are answered one to one and in order, and C-CANCEL ends searches only, whenever it comes',
    async () => {
      /** The one at work. */
      const at: { work: PromiseWithResolvers<void> | undefined } = { work: undefined }
      const endWork = () => at.work?.resolve()
      const work = async (): Promise<void> => {
        expect(at.work).toBeUndefined()
        const gate = Promise.withResolvers<void>()
        at.work = gate
        await gate.promise
        at.work = undefined
      }
      async function* find({ signal }: { readonly signal: AbortSignal }) {
        const batch: EncodedIdentifiers = batchOf(Array.from({ length: ROWS }, () => row))
        yield batch
        const cancelled = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve()),
        )
        await Promise.race([work(), cancelled])
        at.work = undefined
        yield batch
        return { status: 0 }
      }
      await using layer = await openUpperLayer({
        services: [
          verification(),
          basicWorklist({ find }),
          storage(
            {
              async store({ messageId, dataSet, release }) {
                // Of every second one nothing is read: the rest is discarded before its response.
                if (messageId % 2 === 0) for await (const slices of dataSet) slices.forEach(release)
                await work()
                return { status: KINDS.store.status }
              },
            },
            () => false,
          ),
          mpps({
            async create({ sopInstanceUid }) {
              await work()
              return { status: KINDS.create.status, sopInstanceUid }
            },
            async set() {
              await work()
              return { status: KINDS.set.status }
            },
          }),
          storageCommitment(
            {
              async action() {
                await work()
                return { status: KINDS.action.status }
              },
            },
            () => true,
          ),
        ],
      })

      await fc.assert(
        fc.asyncProperty(
          fc.array(stepArbitrary, { minLength: 1, maxLength: 18 }),
          fc.nat({ max: 65_000 }),
          async (steps, first) => {
            endWork()
            at.work = undefined
            await using link = await layer.connect()
            link.send(writePdu(associateRq({ contexts: CONTEXTS })))
            await link.quiet()
            const asked: Asked[] = []
            const expected: string[] = []
            const line = (id: number, kind: Kind, status: number) =>
              `${id} ${(KINDS[kind].command.commandField | 0x8000).toString(16)} ${status.toString(16)}`
            const atWork = () => asked.find(({ hasEnded }) => !hasEnded)
            const pending = ({ id }: Asked) =>
              expected.push(...Array.from({ length: ROWS }, () => line(id, 'find', 0xff00)))

            function end(request: Asked, status: number): void {
              request.hasEnded = true
              expected.push(line(request.id, request.kind, status))
              begin()
            }
            /** What comes to be at work, now that nothing else is. */
            function begin(): void {
              const next = atWork()
              if (!next) return
              if (next.isCancelled) end(next, 0xfe00)
              else if (next.kind === 'find') pending(next)
              else if (!KINDS[next.kind].works) end(next, KINDS[next.kind].status)
            }

            function ask(kind: Kind): void {
              if (asked.filter(({ hasEnded }) => !hasEnded).length >= 7) return
              const id = (first + asked.length) % 65_536
              const { on, command } = KINDS[kind]
              const dataSet = ['echo', 'unknown'].includes(kind) ? undefined : Buffer.alloc(40, 1)
              link.send(
                writeMessage(
                  on,
                  { ...command, messageId: id, hasDataSet: dataSet !== undefined },
                  dataSet,
                  0,
                ),
              )
              const wasIdle = atWork() === undefined
              asked.push({ id, kind, isCancelled: false, hasEnded: false })
              if (wasIdle) begin()
            }
            function cancel(which: number): void {
              const of = asked.at(-1 - which)
              const id = of?.id ?? 65_535
              const command = {
                commandField: COMMAND_FIELD['C-CANCEL-RQ'],
                messageIdBeingRespondedTo: id,
                hasDataSet: false,
              }
              link.send(writeMessage(3, command, undefined, 0))
              if (of?.kind !== 'find' || of.hasEnded) return
              of.isCancelled = true
              if (of === atWork()) end(of, 0xfe00)
            }
            function finish(): void {
              const request = atWork()
              endWork()
              if (!request) return
              if (request.kind === 'find') pending(request)
              end(request, KINDS[request.kind].status)
            }

            for (const step of steps) {
              if (step.do === 'ask') ask(step.kind)
              else if (step.do === 'cancel') cancel(step.which)
              else finish()
              await link.quiet()
              const given = link
                .messages()
                .map(
                  ({ command }) =>
                    `${command.messageIdBeingRespondedTo} ${command.commandField.toString(16)} ${command.status?.toString(16)}`,
                )
              expect(given).toEqual(expected)
            }
            const unanswered = asked.filter(({ hasEnded }) => !hasEnded).length
            await link.leave()
            // Who went away is not answered, and what was at work for them is told.
            endWork()
            await link.quiet()
            expect(link.messages()).toHaveLength(expected.length)
            expect(expected.filter((line) => !line.endsWith('ff00'))).toHaveLength(
              asked.length - unanswered,
            )
            expect([link.association.isBusy, pendingTimers()]).toEqual([false, []])
          },
        ),
        runs(120),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
