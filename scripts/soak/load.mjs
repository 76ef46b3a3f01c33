// What devices, partners and radiologists do, so often, some at a time.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { tagOf, vrOf, writeDataSet } from '../../electron/server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '../../electron/server/dicom/data-set/uids.ts'
import { echo } from '../../electron/server/dicom/scu/query.ts'
import { openAssociation } from '../../electron/server/dicom/scu/requestor.ts'
import { findWorklist } from '../../electron/server/dicom/scu/worklist.ts'

const DEVICES = 4
const CONNECTIONS = 8
const AT_ONCE = 12
const IMAGES_OF_STUDY = 20
const CT = '1.2.840.10008.5.1.4.1.1.2'
const C_STORE_RQ = 0x0001
const OWN_PAGE = { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' }
const REPORT = 'Indication: Cough.\n\nFindings:\nThe lungs are clear.\n\nImpression:\nNormal chest.'
const PATIENT = {
  ...{ patientName: 'INVENTED^SOAK', mrn: 'SOAK-1', sex: 'female', dateOfBirth: '1961-03-07' },
  ...{ scanDate: '2026-03-09', scanTime: '11:40' },
}

/**
 * All of it side by side, in the same proportion from the first to the last, so that one part of a
 * run is like another. Begins from `first`: what a later round makes is new. Rejects with the first
 * thing that is not as it should be.
 */
export async function load(gateway, wanted, first, done) {
  const pool = new Pool(gateway.http, { connections: CONNECTIONS })
  const clients = clientsOf(pool, gateway)
  const work = {
    associations: (index) => associate(gateway.peer, first + index),
    calls: (index) => call(clients, first + index),
    events: () => report(clients),
  }
  const steps = mixed(wanted)
  const worker = async () => {
    for (const { what, index } of steps) {
      await work[what](index)
      done(what)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    await pool.close()
  }
}

/** Whatever is furthest behind comes next. */
function* mixed(wanted) {
  const kinds = Object.entries(wanted).filter(([, count]) => count > 0)
  const begun = Object.fromEntries(kinds.map(([what]) => [what, 0]))
  const share = ([what, count]) => begun[what] / count
  for (;;) {
    const next = kinds
      .filter((kind) => share(kind) < 1)
      .reduce((least, kind) => (least && share(least) <= share(kind) ? least : kind), undefined)
    if (!next) return
    const [what] = next
    yield { what, index: begun[what]++ }
  }
}

// A device tests the connection, asks for its list, and sends images: half of all.
const ASSOCIATIONS = [
  (peer, aeTitle) => echo({ peer, callingAeTitle: aeTitle }),
  (peer, aeTitle) =>
    findWorklist({ peer, callingAeTitle: aeTitle }, { modality: '', startDate: '' }),
  (peer, aeTitle, index) => storeImage(peer, aeTitle, index),
  (peer, aeTitle, index) => storeImage(peer, aeTitle, index),
]
const associate = (peer, index) =>
  ASSOCIATIONS[index % ASSOCIATIONS.length](peer, `SOAK${index % DEVICES}`, index)

async function storeImage(peer, callingAeTitle, index) {
  await using association = await openAssociation({
    ...{ peer, callingAeTitle },
    contexts: [{ abstractSyntax: CT, transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian] }],
  })
  const [context] = association.accepted
  const affectedSopInstanceUid = `2.25.${runNumber}.${index + 1}`
  const command = {
    commandField: C_STORE_RQ,
    affectedSopClassUid: CT,
    affectedSopInstanceUid,
    priority: 0,
  }
  for await (const { command: response } of association.request(
    context.id,
    command,
    imageOf(affectedSopInstanceUid, index),
  )) {
    if (response.status !== 0)
      throw new Error(`C-STORE was answered ${response.status?.toString(16)}`)
  }
}

const runNumber = BigInt(`0x${randomUUID().replaceAll('-', '').slice(0, 16)}`)
const PIXELS = Buffer.alloc(64 * 64 * 2, 7)

/** A small CT image of an invented patient. */
function imageOf(sopInstanceUid, index) {
  const study = `2.25.${runNumber}.9${Math.floor(index / IMAGES_OF_STUDY)}`
  const texts = {
    ...{
      SOPClassUID: CT,
      SOPInstanceUID: sopInstanceUid,
      StudyInstanceUID: study,
      SeriesInstanceUID: `${study}.1`,
    },
    ...{
      StudyDate: '20260310',
      StudyTime: '101500',
      AccessionNumber: `S${index}`,
      Modality: 'CT',
      StudyDescription: 'CT head',
    },
    ...{
      PatientName: 'Invented^Soak',
      PatientID: 'SOAK-1',
      PatientBirthDate: '19610307',
      PatientSex: 'F',
      SeriesNumber: '1',
    },
    ...{ InstanceNumber: String(index + 1), PhotometricInterpretation: 'MONOCHROME2' },
  }
  const numbers = {
    SamplesPerPixel: 1,
    Rows: 64,
    Columns: 64,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
  }
  const element = (keyword, value) => ({ tag: tagOf(keyword), vr: vrOf(tagOf(keyword)), value })
  const elements = [
    ...Object.entries(texts).map(([keyword, text]) =>
      element(keyword, Buffer.from(text, 'latin1')),
    ),
    ...Object.entries(numbers).map(([keyword, number]) =>
      element(keyword, Buffer.from([number & 0xff, number >> 8])),
    ),
    { tag: tagOf('PixelData'), vr: 'OW', value: PIXELS },
  ]
  return writeDataSet(
    elements.sort((a, b) => a.tag - b.tag),
    TRANSFER_SYNTAX.explicitLittleEndian,
  )
}

/** A partner's client and a radiologist's window, over the same connections. */
function clientsOf(pool, gateway) {
  const { key, radiologist } = gateway
  async function send(method, path, headers, body) {
    const answer = await pool.request({
      ...{
        method,
        path,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text }
  }
  function read({ status, text }, what) {
    if (status >= 300) throw new Error(`${what} was answered ${status}: ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
  async function signIn() {
    const answer = await send('POST', '/dashboard/session', OWN_PAGE, radiologist)
    read(answer, 'signing in')
    return String(answer.headers['set-cookie']).split(';')[0]
  }
  return {
    partner: async (method, path, body) =>
      read(await send(method, path, { authorization: `Bearer ${key}` }, body), `${method} ${path}`),
    async window(method, path, body) {
      // Once: a password is hashed in 128 MiB, which is nobody's leak.
      gateway.cookie ??= signIn()
      const answer = await send(method, path, { ...OWN_PAGE, cookie: await gateway.cookie }, body)
      return read(answer, `${method} ${path}`)
    },
    /** Studies that were made last. */
    known: [],
  }
}

const newStudy = async ({ partner, known }) => {
  const studyInstanceUid = `2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`
  const body = {
    studyInstanceUid,
    studyDescription: 'XR chest',
    severity: 'normal',
    reportMetadata: PATIENT,
  }
  const { studyId } = await partner('POST', '/v1/scribe/studies', body)
  known[Math.floor(Math.random() * 100)] = { studyId, studyInstanceUid }
  return studyId
}
const anyOf = (known) => known.find((one) => one !== undefined)

const CALLS = [
  newStudy,
  ({ partner }) => partner('GET', '/v1/scribe/studies?limit=20'),
  ({ partner, known }) =>
    partner(
      'GET',
      anyOf(known) ? `/v1/scribe/studies/${anyOf(known).studyId}` : '/v1/scribe/studies',
    ),
  ({ partner, known }) =>
    partner(
      'GET',
      anyOf(known)
        ? `/v1/scribe/studies/by-uid/${anyOf(known).studyInstanceUid}`
        : '/v1/scribe/studies',
    ),
  ({ partner }) => partner('GET', '/v1/viewer/studies?severity=stat&isCancelled=false'),
  ({ window }) => window('GET', '/dashboard/status'),
  ({ window }) => window('GET', '/dashboard/today'),
  ({ partner }) => partner('GET', '/v1/viewer/studies?studyDescription=chest'),
  ({ window }) => window('GET', '/dashboard/inspections?limit=20'),
  ({ partner }) => partner('GET', '/v1/scribe/studies?limit=100'),
]
const call = (clients, index) => CALLS[index % CALLS.length](clients)

/** A report is written and signed; its way to the partner is the event. */
async function report(clients) {
  const { window } = clients
  const draft = `/dashboard/reading/${await newStudy(clients)}/draft`
  const windowId = randomUUID()
  const begun = await window('POST', draft, { windowId })
  const saved = await window('PUT', draft, {
    windowId,
    revision: begun.draft?.revision ?? 0,
    text: REPORT,
  })
  const { outcome } = await window('POST', `${draft}/sign`, {
    windowId,
    revision: saved.revision,
    isCritical: false,
  })
  if (outcome !== 'signed') throw new Error(`a report was not signed: ${outcome}`)
}
