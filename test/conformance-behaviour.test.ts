import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMPLEMENTATION, SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { ProposedContext } from '#server/dicom/upper-layer/pdu.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { hex4 } from '../scripts/docs/markdown.ts'
import { STORAGE_CLASSES } from '../scripts/docs/registry.ts'
import { SERVICES } from '../scripts/docs/services.ts'
import { type Service, statusTable } from '../scripts/docs/statuses.ts'
import { CT, encoded, image } from './electron/server/modules/images/intake-fixture.ts'
import { identifierOf } from './electron/server/modules/worklist/worklist-fixture.ts'
import { type StartedGateway, startGateway } from './support/gateway.ts'
import { openModality } from './support/modality.ts'
import { associated, findRq, type Proposal, Requestor } from './support/requestor.ts'
import { rejectionOf } from './support/worklist-client.ts'

// What docs/CONFORMANCE.md states, asked of a gateway over the network by raw associations.
let started: StartedGateway
beforeAll(async () => {
  started = await startGateway({
    devices: [
      { aeTitle: 'CT1' },
      { aeTitle: 'SECURE', tls: 'required' },
      { aeTitle: 'OFF', isEnabled: false },
    ],
    overrides: { 'dimse.maxAssociationsPerDevice': 3 },
  })
})
afterAll(() => started[Symbol.asyncDispose]())

const contextsOf = (
  abstractSyntaxes: readonly string[],
  transferSyntaxes: readonly string[],
): ProposedContext[] =>
  abstractSyntaxes.map((abstractSyntax, at) => ({
    id: at * 2 + 1,
    abstractSyntax,
    transferSyntaxes,
  }))

async function accepted(proposal: Proposal) {
  await using requestor = await Requestor.connect(started.dimsePort)
  const reply = await requestor.associate({ callingAeTitle: 'CT1', ...proposal })
  await requestor.release()
  return reply
}

const resultsOf = async (
  abstractSyntaxes: readonly string[],
  transferSyntaxes: readonly string[],
) =>
  (
    await accepted({ contexts: contextsOf(abstractSyntaxes, transferSyntaxes) })
  ).presentationContexts.map(({ result, transferSyntax }) =>
    result === 0 ? transferSyntax : result,
  )

describe('a gateway', () => {
  it('introduces itself as stated', async () => {
    const { user, applicationContext } = await accepted({
      asynchronousOperations: { invoked: 8, performed: 8 },
      roles: [{ sopClass: SOP_CLASS.verification, scu: true, scp: true }],
    })
    expect(applicationContext).toBe('1.2.840.10008.3.1.1.1')
    expect(user).toMatchObject({
      maximumLength: 65_536,
      implementationClassUid: IMPLEMENTATION.classUid,
      implementationVersionName: IMPLEMENTATION.versionName,
      asynchronousOperations: { invoked: 1, performed: 1 },
      roles: [{ sopClass: SOP_CLASS.verification, scu: true, scp: false }],
    })
  })

  it('accepts every storage class that is listed, in the first of its transfer syntaxes that is proposed', async () => {
    const uids = STORAGE_CLASSES.map(({ uid }) => uid)
    for (let from = 0; from < uids.length; from += 100) {
      const some = uids.slice(from, from + 100)
      expect(
        await resultsOf(some, [
          TRANSFER_SYNTAX.implicitLittleEndian,
          TRANSFER_SYNTAX.explicitLittleEndian,
        ]),
      ).toEqual(some.map(() => TRANSFER_SYNTAX.explicitLittleEndian))
    }
  })

  it('accepts each transfer syntax of storage by itself, and prefers them in the order stated', async () => {
    const { transferSyntaxes } = SERVICES.storage
    const contexts = transferSyntaxes.map((uid, at) => ({
      id: at * 2 + 1,
      abstractSyntax: CT,
      transferSyntaxes: [uid],
    }))
    expect(
      (await accepted({ contexts })).presentationContexts.map(
        ({ transferSyntax }) => transferSyntax,
      ),
    ).toEqual(transferSyntaxes)
    const reversed = transferSyntaxes.map((_, at) => ({
      id: at * 2 + 1,
      abstractSyntax: CT,
      transferSyntaxes: transferSyntaxes.slice(at).toReversed(),
    }))
    expect(
      (await accepted({ contexts: reversed })).presentationContexts.map(
        ({ transferSyntax }) => transferSyntax,
      ),
    ).toEqual(transferSyntaxes)
  })

  it('offers the other services in the transfer syntaxes stated, and nothing else', async () => {
    const all = Object.values(TRANSFER_SYNTAX)
    for (const [service, uid] of [
      ['verification', SOP_CLASS.verification],
      ['worklist', SOP_CLASS.modalityWorklistFind],
      ['steps', SOP_CLASS.modalityPerformedProcedureStep],
    ] as const) {
      const taken = await accepted({
        contexts: all.map((syntax, at) => ({
          id: at * 2 + 1,
          abstractSyntax: uid,
          transferSyntaxes: [syntax],
        })),
      })
      const offered = taken.presentationContexts
        .filter(({ result }) => result === 0)
        .map(({ transferSyntax }) => transferSyntax)
      expect([service, offered.sort()]).toEqual([
        service,
        [...SERVICES[service].transferSyntaxes].sort(),
      ])
    }
    expect(await resultsOf([CT], ['1.2.840.10008.1.2.4.94'])).toEqual([4])
  })

  it('refuses the contexts of what is not offered', async () => {
    const foreign = [
      SOP_CLASS.studyRootFind,
      SOP_CLASS.patientRootMove,
      SOP_CLASS.storageCommitmentPushModel,
      '1.2.840.10008.5.1.1.9',
      '1.2.840.10008.5.1.4.1.1.200.4',
      '1.3.12.2.1107.5.9.1',
    ]
    expect(await resultsOf(foreign, [TRANSFER_SYNTAX.implicitLittleEndian])).toEqual(
      foreign.map(() => 3),
    )
  })

  it('rejects with the codes stated', async () => {
    const rejected = (proposal: Proposal) => rejectionOf(started.dimsePort, proposal)
    expect(await rejected({ callingAeTitle: 'NOBODY' })).toBe('1/1/3')
    expect(await rejected({ callingAeTitle: 'OFF' })).toBe('1/1/3')
    expect(await rejected({ callingAeTitle: 'SECURE' })).toBe('1/1/1')
    expect(await rejected({ callingAeTitle: 'CT1', applicationContext: '1.2.3' })).toBe('1/1/2')
    expect(await rejected({ callingAeTitle: 'CT1', protocolVersion: 2 })).toBe('1/2/2')
    // Another called AE title is noted, unless the setting is strict.
    expect(await rejected({ callingAeTitle: 'CT1', calledAeTitle: 'PACS' })).toBe('A-ASSOCIATE-AC')
    // Everybody may ask whether it is there.
    const echo = contextsOf([SOP_CLASS.verification], [TRANSFER_SYNTAX.implicitLittleEndian])
    expect(await rejected({ callingAeTitle: 'NOBODY', contexts: echo })).toBe('A-ASSOCIATE-AC')
  })

  it('rejects for the moment what is more than the limit', async () => {
    await using stack = new AsyncDisposableStack()
    for (let open = 0; open < 3; open++)
      stack.use(await associated(started.dimsePort, { callingAeTitle: 'CT1' }))
    expect(await rejectionOf(started.dimsePort, { callingAeTitle: 'CT1' })).toBe('2/3/2')
  })
})

/** A row of the stated table that has this status, and a comment that what came is of. */
function expectStated(service: Service, status: number | undefined, comment = ''): void {
  const row = statusTable(service)
    .split('\n')
    .find((line) => line.startsWith(`| ${hex4(status ?? -1)} |`))
  const comments = [...(row?.matchAll(/“([^”]+)”/g) ?? [])].map(([, words = '']) => words)
  const fits = (words: string) =>
    new RegExp(
      `^${words
        .split('…')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(comment)
  expect([service, hex4(status ?? -1), comment, comment === '' || comments.some(fits)]).toEqual([
    service,
    hex4(status ?? -1),
    comment,
    true,
  ])
  expect(row).toBeDefined()
}

describe('a service answers with a status and a comment that are stated:', () => {
  const contexts = contextsOf(
    [
      SOP_CLASS.verification,
      SOP_CLASS.modalityWorklistFind,
      SOP_CLASS.modalityPerformedProcedureStep,
      CT,
    ],
    [TRANSFER_SYNTAX.explicitLittleEndian],
  )
  const [ECHO, WORKLIST, STEPS, IMAGES] = contexts.map(({ id }) => id) as [
    number,
    number,
    number,
    number,
  ]

  async function answerTo(
    send: (requestor: Requestor) => void,
  ): Promise<{ status: number | undefined; comment: string | undefined }> {
    await using requestor = await associated(started.dimsePort, { callingAeTitle: 'CT1', contexts })
    send(requestor)
    for (;;) {
      const { command } = await requestor.message()
      if (command.status === 0xff00) continue
      await requestor.release()
      return { status: command.status, comment: command.errorComment }
    }
  }
  const find = (keys: Parameters<typeof identifierOf>[0]) => (requestor: Requestor) =>
    requestor.sendMessage(WORKLIST, findRq(1, true), identifierOf(keys))
  const store =
    (sopClassUid: string, sopInstanceUid: string, dataSet: Buffer, contextId = IMAGES) =>
    (requestor: Requestor) =>
      requestor.sendMessage(
        contextId,
        {
          ...{
            commandField: COMMAND_FIELD['C-STORE-RQ'],
            affectedSopClassUid: sopClassUid,
            affectedSopInstanceUid: sopInstanceUid,
          },
          ...{ messageId: 1, priority: 0, hasDataSet: true },
        },
        dataSet,
      )
  const step =
    (
      commandField: number,
      uid: string | undefined,
      status: string,
      ofRequest: 'affected' | 'requested',
    ) =>
    (requestor: Requestor) =>
      requestor.sendMessage(
        STEPS,
        {
          ...{ commandField, messageId: 1, hasDataSet: true },
          ...(ofRequest === 'affected' && {
            affectedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
            ...(uid && { affectedSopInstanceUid: uid }),
          }),
          ...(ofRequest === 'requested' && {
            requestedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
            ...(uid && { requestedSopInstanceUid: uid }),
          }),
        },
        encoded({ PerformedProcedureStepStatus: status, PatientName: '', PatientID: '' }),
      )
  const [CREATE, SET] = [COMMAND_FIELD['N-CREATE-RQ'], COMMAND_FIELD['N-SET-RQ']]
  const picture = image(1)
  const uid = String(picture.SOPInstanceUID)

  it.each<[Service, string, number, (requestor: Requestor) => void]>([
    [
      'worklist',
      'all exams',
      0x0000,
      find({ PatientName: '', ScheduledProcedureStepSequence: {} }),
    ],
    [
      'worklist',
      'a date that is none',
      0xa900,
      find({ ScheduledProcedureStepSequence: { ScheduledProcedureStepStartDate: 'notadate' } }),
    ],
    [
      'worklist',
      'no identifier',
      0xa900,
      (requestor) => requestor.sendMessage(WORKLIST, findRq(1, false)),
    ],
    [
      'worklist',
      'a request that the service does not have',
      0x0211,
      (requestor) => requestor.sendMessage(ECHO, findRq(1, false)),
    ],
    [
      'worklist',
      'another class',
      0x0122,
      (requestor) =>
        requestor.sendMessage(WORKLIST, {
          ...findRq(1, false),
          affectedSopClassUid: SOP_CLASS.studyRootFind,
        }),
    ],
    ['storage', 'an image', 0x0000, store(CT, uid, encoded(picture))],
    ['storage', 'the same image again', 0x0000, store(CT, uid, encoded(picture))],
    ['storage', 'another instance than it says', 0xa900, store(CT, `${uid}.9`, encoded(picture))],
    ['storage', 'no UID of a class', 0x0122, store('', uid, encoded(picture))],
    [
      'storage',
      'no data set that can be read',
      0xc000,
      store(CT, uid, Buffer.from('this is no data set of anything')),
    ],
    [
      'steps',
      'a step that is over at its beginning',
      0x0106,
      step(CREATE, '2.25.1', 'COMPLETED', 'affected'),
    ],
    ['steps', 'a step begun', 0x0000, step(CREATE, '2.25.2', 'IN PROGRESS', 'affected')],
    ['steps', 'the same step again', 0x0111, step(CREATE, '2.25.2', 'IN PROGRESS', 'affected')],
    ['steps', 'no UID', 0x0117, step(CREATE, 'x'.repeat(65), 'IN PROGRESS', 'affected')],
    ['steps', 'a step that is not there', 0x0112, step(SET, '2.25.3', 'COMPLETED', 'requested')],
    ['steps', 'completed without a series', 0x0121, step(SET, '2.25.2', 'COMPLETED', 'requested')],
  ])('%s, %s', async (service, _, status, send) => {
    const answer = await answerTo(send)
    expect(answer.status).toBe(status)
    expectStated(service, answer.status, answer.comment)
  })
})

describe('by its settings a gateway', () => {
  const set = (settings: Record<string, boolean | string>) =>
    started.call(dashboard.changeSettings, { body: { settings } })

  it('rejects another called AE title where it is strict', async () => {
    await set({ 'dimse.calledAePolicy': 'strict' })
    expect(
      await rejectionOf(started.dimsePort, { callingAeTitle: 'CT1', calledAeTitle: 'PACS' }),
    ).toBe('1/1/7')
    expect(
      await rejectionOf(started.dimsePort, { callingAeTitle: 'ct1', calledAeTitle: 'isthmus' }),
    ).toBe('A-ASSOCIATE-AC')
    await set({ 'dimse.calledAePolicy': 'warn' })
  })

  it('keeps the classes of vendors', async () => {
    await set({ 'intake.acceptUnknownClasses': true })
    const uids = ['1.3.12.2.1107.5.9.1', SOP_CLASS.studyRootFind, '1.2.840.10008.5.1.4.1.1.200.4']
    const { implicitLittleEndian } = TRANSFER_SYNTAX
    expect(await resultsOf(uids, [implicitLittleEndian])).toEqual([implicitLittleEndian, 3, 3])
    await set({ 'intake.acceptUnknownClasses': false })
  })

  it('offers storage commitment, and answers as stated', async () => {
    await set({ 'commitment.isOn': true })
    expect(
      await resultsOf([SOP_CLASS.storageCommitmentPushModel], Object.values(TRANSFER_SYNTAX)),
    ).toEqual([SERVICES.commitment.transferSyntaxes[0]])
    await using modality = await openModality(started.dimsePort)
    const answers = [
      [0x0121, await modality.askCommitment('', ['2.25.1'])],
      [0x0121, await modality.askCommitment('2.25.9', [])],
      [0x0115, await modality.askCommitment('9'.repeat(65), ['2.25.1'])],
      [0x0000, await modality.askCommitment('2.25.9', ['2.25.1'])],
      [0x0000, await modality.askCommitment('2.25.9', ['2.25.1'])],
      [0x0131, await modality.askCommitment('2.25.9', ['2.25.2'])],
    ] as const
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(hex4(status))
      expectStated('commitment', status, answer.comment)
    }
    await modality.release()
    await set({ 'commitment.isOn': false })
  })
})
