import type { NoticeContact } from '#shared/contract/correction-notices.ts'
import { countText } from '../display/amounts.ts'
import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'Inform about corrections',
  about: 'Images were corrected after these recipients had got them. Inform each of them, then confirm it here with a note.',
  label: 'Recipients who have the wrong version',
  columns: { who: 'Recipient', has: 'What they have', patient: 'Patient', since: 'Corrected', actions: 'Inform' },
  show: { open: 'To be informed', all: 'All' },
  kinds: { destination: 'Destination', partner: 'Partner', person: 'Person' },
  contacts: {
    'has-images': 'It was sent the images',
    source: 'The images were retrieved from there',
    'former-destination': 'It was sent the images, and was removed here since',
    'created-study': 'Created the study',
    enrichment: 'Was asked about the patient',
    context: 'Was asked for the clinical context',
    report: 'Received the report',
    captures: 'Received captures of the images',
    customer: 'Sees the study and its reports',
    signed: 'Signed the report',
    'critical-result': 'Was told of the critical result',
    'opened-images': 'Opened the images',
    ordered: 'Ordered the exam that the report is about',
  } satisfies Readonly<Record<NoticeContact['what'], string>>,
  undone: 'The correction was undone: the version before it is right',
  patientBefore: 'as they have it',
  patientNow: 'correct',
  images: 'Open the images',
  sending: {
    preparing: 'The rejection note is being prepared.',
    waiting: (sent: number, of: number) => `Sending: ${sent} of ${countText(of, 'object')} sent.`,
    failed: (count: number) => `${countText(count, 'object')} could not be sent.`,
    off: 'The destination is switched off.',
    lastError: 'Last reason',
  },
  byGateway: 'By the gateway',
  confirm: 'Confirm',
  confirmOf: (name: string) => `Confirm that ${name} was informed`,
  ask: {
    title: 'Confirm that they were informed',
    action: 'Confirm',
    label: 'Whom you spoke to, and what they answered',
    about: 'It is kept in the audit trail.',
    example: 'e.g. called the RIS team, they moved the report to the right patient',
  },
  confirmed: 'Confirmed.',
  none: 'Everybody was informed',
  noneText: 'Recipients are listed here when images that they have are corrected.',
  more: 'Loading more…',
  last: 'These are all.',
  notAllowed: 'You need the right to manage studies or to write reports to see this list.',
} as const
export type English = typeof en
export const words = inLanguage(en, es)
