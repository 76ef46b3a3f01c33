import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { requestCommitment } from '../../electron/server/dicom/scu/commitment-request.ts'
import { sendEventReport } from '../../electron/server/dicom/scu/event-report.ts'
import { moveStudy } from '../../electron/server/dicom/scu/move.ts'
import { echo, findStudies } from '../../electron/server/dicom/scu/query.ts'
import type { Caller } from '../../electron/server/dicom/scu/service-request.ts'
import { sendInstances } from '../../electron/server/dicom/scu/store.ts'
import { findWorklist } from '../../electron/server/dicom/scu/worklist.ts'
import { DEFAULT_LIMITS } from '../../electron/server/dicom/upper-layer/limits.ts'
import type { AssociateRq } from '../../electron/server/dicom/upper-layer/pdu.ts'
import { PduReader } from '../../electron/server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '../../electron/server/dicom/upper-layer/pdu-writer.ts'
import { table } from './markdown.ts'
import { className, syntaxName } from './services.ts'

const OWN = 'ISTHMUS'
const CT = '1.2.840.10008.5.1.4.1.1.2'
const JPEG_LOSSLESS = '1.2.840.10008.1.2.4.70'

/** Drains an asynchronous iteration. */
async function all(iteration: AsyncIterable<unknown>): Promise<void> {
  for await (const each of iteration) void each
}

/**
 * Everything that calls out by our own upper layer, each so far that it asks for its association.
 */
const CALLS: readonly (readonly [what: string, call: (caller: Caller) => Promise<unknown>])[] = [
  ['C-ECHO', echo],
  [
    'C-FIND of prior studies',
    (caller) =>
      findStudies(caller, {
        patientId: '1',
        patientName: '',
        accessionNumber: '',
        startDate: null,
        endDate: null,
      }),
  ],
  ['C-MOVE of a prior study', (caller) => all(moveStudy(caller, '1.2'))],
  [
    'C-STORE of a CT image in JPEG Lossless',
    (caller) =>
      all(
        sendInstances(caller, [
          {
            path: '',
            dataSetOffset: 0,
            sopClassUid: CT,
            sopInstanceUid: '1.2',
            transferSyntaxUid: JPEG_LOSSLESS,
          },
        ]),
      ),
  ],
  [
    'N-ACTION of storage commitment',
    (caller) => requestCommitment(caller, { transactionUid: '1.2', instances: [] }),
  ],
  [
    'N-EVENT-REPORT of storage commitment',
    (caller) => sendEventReport(caller, { transactionUid: '1.2', committed: [], failed: [] }),
  ],
  [
    'C-FIND of a worklist (`simulator modality`)',
    (caller) => findWorklist(caller, { modality: '', startDate: '' }),
  ],
]

/** What we ask for when we call out, as a listener of this PC heard it. */
export async function proposals(): Promise<
  { readonly what: string; readonly request: AssociateRq }[]
> {
  const heard: AssociateRq[] = []
  const server = createServer((socket) => reject(socket, heard)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    for (const [what, call] of CALLS) {
      const before = heard.length
      const peer = { host: '127.0.0.1', port, aeTitle: 'PEER' }
      await call({ peer, callingAeTitle: OWN }).catch(() => undefined)
      if (heard.length !== before + 1)
        throw new RangeError(`${what} asked for ${heard.length - before} associations`)
    }
  } finally {
    server.close()
  }
  return CALLS.map(([what], at) => ({ what, request: heard[at] as AssociateRq }))
}

/** Rejected, permanent, without a reason: nothing more is asked. */
function reject(socket: Socket, heard: AssociateRq[]): void {
  const reader = new PduReader(DEFAULT_LIMITS)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    reader.push(chunk)
    const pdu = reader.next()
    if (pdu?.type !== 'A-ASSOCIATE-RQ') return
    heard.push(pdu)
    socket.end(writePdu({ type: 'A-ASSOCIATE-RJ', result: 1, source: 1, reason: 1 }))
  })
}

/** Presentation contexts that we propose. */
export async function proposedContextTable(): Promise<string> {
  const rows = (await proposals()).map(({ what, request }) => [
    what,
    [
      ...new Set(
        request.presentationContexts.map(
          ({ abstractSyntax }) => `${className(abstractSyntax)} ${abstractSyntax}`,
        ),
      ),
    ].join('; '),
    request.presentationContexts
      .map(({ transferSyntaxes }) => transferSyntaxes.map(syntaxName).join(', '))
      .join('; '),
    request.user.roles.some(({ scp }) => scp) ? 'SCP' : 'SCU',
  ])
  return table(
    [
      'activity',
      'abstract syntax',
      'transfer syntaxes; semicolons separate presentation contexts',
      'role of the gateway',
    ],
    rows,
  )
}
