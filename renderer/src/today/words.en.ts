import type { PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'

const are = (count: string, one: string, many: string, is: number) =>
  `${count} ${is === 1 ? one : many}`

/** `count` is written, such as `999+`; `of` is the number for the grammar. */
export const en = {
  title: 'Today',
  about: 'Today’s tasks and activity.',
  needs: 'Needs attention',
  needsOthers: 'Waiting on others',
  label: 'What needs attention',
  calm: 'All clear',
  calmText:
    'Devices, partner and disk are in order, and nothing is waiting. New tasks appear here automatically.',
  since: 'since',
  more: (count: string) => `${count}+`,
  items: {
    'safe-mode': {
      name: 'Safe mode',
      text: () =>
        'Devices are not served and nothing is sent, so that the cause can be looked for. Start the gateway again when it is found.',
      action: 'Readiness',
    },
    'listener-down': {
      name: 'A listener is down',
      text: () => 'Devices or partners cannot reach the gateway there.',
      action: 'Settings',
    },
    disk: {
      name: 'Room for images',
      text: () => 'The disk for images is running out of room.',
      action: 'Images',
    },
    'partner-away': {
      name: 'The partner is away',
      text: () => 'Devices are given stored lists, as long as those are young enough.',
      action: 'Partner',
    },
    'partner-unset': {
      name: 'No partner is set up',
      text: () => 'Every worklist is refused until the address of the partner is entered.',
      action: 'Partner',
    },
    'audit-broken': {
      name: 'The audit trail was tampered with',
      text: () => 'Something else than Isthmus changed the data folder. Keep a copy of it.',
      action: 'Audit trail',
    },
    'audit-anchor': {
      name: 'The anchor of the audit trail fails',
      text: () =>
        'Until it works, an older database in the place of this one may not be detected. Correct the permissions of the file or the disk, then verify the audit trail.',
      action: 'Audit trail',
    },
    'audit-collector': {
      name: 'The audit collector gets no entries',
      text: () => 'They wait here and are sent when it can be reached.',
      action: 'Settings',
    },
    backup: {
      name: 'No good back-up',
      text: () => 'Without one, what is written is lost with this PC.',
      action: 'Back-ups',
    },
    rehearsal: {
      name: 'Trial of a back-up',
      text: () => 'Only a trial shows that a back-up can be put back.',
      action: 'Back-ups',
    },
    standby: {
      name: 'The standby is behind',
      text: () => 'What it lacks is lost with this PC.',
      action: 'Back-ups',
    },
    setup: {
      name: 'Set-up is not finished',
      text: () => 'Go on where it was left off: some steps are still open.',
      action: 'Go on',
    },
    recovered: {
      name: 'Image files without a record',
      text: (count: string, of: number) =>
        are(count, 'image file is', 'image files are', of).concat(
          ' not in the database, for example because an older copy of it was put back. Nothing was deleted.',
        ),
      action: 'Import',
    },
    'correction-notices': {
      name: 'Correction notices',
      text: (count: string, of: number) =>
        are(count, 'recipient has', 'recipients have', of).concat(
          ' an outdated version of corrected images and must be informed.',
        ),
      action: 'Inform',
    },
    'images-replaced': {
      name: 'Images were replaced',
      text: (count: string, of: number) =>
        are(count, 'study has', 'studies have', of).concat(
          ' images that the device sent again with other pixels. Compare the versions.',
        ),
      action: 'Compare',
    },
    mismatches: {
      name: 'Patient or exam mismatch',
      text: (count: string, of: number) =>
        are(count, 'study has images of', 'studies have images of', of).concat(
          ' another patient or order than was planned.',
        ),
      action: 'Compare',
    },
    criticals: {
      name: 'Critical results',
      text: (count: string, of: number) =>
        are(
          count,
          'critical result that nobody was told of.',
          'critical results that nobody was told of.',
          of,
        ),
      action: 'Tell somebody',
    },
    'addenda-needed': {
      name: 'Addendum needed',
      text: (count: string, of: number) =>
        are(count, 'signed report needs', 'signed reports need', of).concat(
          ' an addendum because images were changed after the signature.',
        ),
      action: 'Open list',
    },
    'stat-unread': {
      name: 'STAT',
      text: (count: string, of: number) =>
        are(count, 'STAT study is not signed.', 'STAT studies are not signed.', of),
      action: 'Read',
    },
    'reports-undelivered': {
      name: 'Reports on their way',
      text: (count: string, of: number) =>
        are(count, 'signed report has', 'signed reports have', of).concat(
          ' not reached the partner for more than an hour.',
        ),
      action: 'Deliveries',
    },
    'endpoints-off': {
      name: 'An endpoint is switched off',
      text: (count: string, of: number) =>
        are(count, 'endpoint of the partner gets', 'endpoints of the partner get', of).concat(
          ' nothing any more.',
        ),
      action: 'Partner',
    },
    downtime: {
      name: 'Downtime mode is on',
      text: () =>
        'Devices may be given the last good list. End it at the side once the partner answers.',
      action: 'Exams of today',
    },
    quarantined: {
      name: 'Images set aside',
      text: (count: string, of: number) =>
        are(count, 'image was set aside and waits', 'images were set aside and wait', of).concat(
          ' for a decision.',
        ),
      action: 'Decide',
    },
    'forwards-failed': {
      name: 'Images not sent',
      text: (count: string, of: number) =>
        are(count, 'image', 'images', of).concat(' could not be sent to where they belong.'),
      action: 'Destinations',
    },
    'unknown-callers': {
      name: 'Unknown devices',
      text: (count: string, of: number) =>
        are(
          count,
          'unknown device has called and is',
          'unknown devices have called and are',
          of,
        ).concat(' not served.'),
      action: 'Approve or dismiss',
    },
    workstations: {
      name: 'Workstations ask',
      text: (count: string, of: number) =>
        are(count, 'workstation asks', 'workstations ask', of).concat(' to open this window.'),
      action: 'Approve or refuse',
    },
    'exams-overdue': {
      name: 'Exams overdue',
      text: (count: string, of: number) =>
        are(count, 'exam is', 'exams are', of).concat(
          ' more than an hour late and has not begun at any device.',
        ),
      action: 'Look',
    },
    'images-unplanned': {
      name: 'Exams without an order',
      text: (count: string, of: number) =>
        are(count, 'exam was done', 'exams were done', of).concat(' without an order.'),
      action: 'Reconcile',
    },
    'exams-withheld': {
      name: 'Exams withheld',
      text: (count: string, of: number) =>
        are(count, 'exam of today', 'exams of today', of).concat(
          ' cannot be sent to devices as written by the partner.',
        ),
      action: 'See why',
    },
    'my-drafts': {
      name: 'My drafts',
      text: (count: string, of: number) =>
        are(count, 'report is', 'reports are', of).concat(' begun by you and not signed.'),
      action: 'Go on writing',
    },
    addenda: {
      name: 'Addenda',
      text: (count: string, of: number) =>
        are(count, 'addendum is', 'addenda are', of).concat(' being written.'),
      action: 'Open',
    },
    'studies-waiting': {
      name: 'Waiting long',
      text: (count: string, of: number) =>
        are(count, 'study waits', 'studies wait', of).concat(' for a report for more than a day.'),
      action: 'Reading list',
    },
    'events-failed': {
      name: 'Events failed',
      text: (count: string, of: number) =>
        are(count, 'event', 'events', of).concat(' failed in the last 24 hours.'),
      action: 'Events',
    },
    'second-factor': {
      name: 'Your account has no two-factor authentication',
      text: () => 'It manages the gateway, and its password alone opens it.',
      action: 'My account',
    },
    'mail-failing': {
      name: 'Mail does not leave',
      text: (count: string, of: number) =>
        are(count, 'invitation', 'invitations', of).concat(' could not be sent by mail.'),
      action: 'People',
    },
    'invitations-pending': {
      name: 'Invitations',
      text: (count: string, of: number) =>
        are(count, 'invitation', 'invitations', of).concat(' unanswered for more than three days.'),
      action: 'People',
    },
    certificate: {
      name: 'A certificate ends',
      text: () => 'Renew it, and give the new one to who trusts the old one.',
      action: 'Settings',
    },
    advice: { name: 'Needs fixing', text: () => '', action: 'Settings' },
  } satisfies Record<
    TodayKind,
    { name: string; text: (count: string, of: number) => string; action: string }
  >,

  numbers: {
    label: 'Numbers of the day',
    exams: 'Exams today',
    begun: 'begun',
    completed: 'Exams completed',
    unread: 'To be read',
    signed: 'Signed today',
    images: 'Images today',
    receiving: 'Receiving now',
    queries: 'Worklist queries',
    connected: 'Devices connected',
  },

  gateway: 'Gateway',
  listenerNames: {
    dimse: 'Devices (DICOM)',
    'dimse-tls': 'Devices, encrypted (DICOM TLS)',
    http: 'This window and the interface',
    https: 'Other workstations (HTTPS)',
  } satisfies Record<Status['listeners'][number]['name'], string>,
  listeners: 'Listening',
  up: 'Up',
  down: 'Down',
  aeTitle: (aeTitle: string) => `AE title ${aeTitle}`,
  storage: 'Room for images',
  storageStates: {
    ok: { tone: 'good', name: 'Enough' },
    low: { tone: 'warning', name: 'Low' },
    full: { tone: 'danger', name: 'Full' },
    'read-only': { tone: 'danger', name: 'Cannot be written' },
  } satisfies Record<Status['storage']['state'], { tone: Tone; name: string }>,
  free: (free: string, total: string) => `${free} free of ${total}`,
  used: (share: number) => `${share} % of the disk is used`,
  toSend: (images: number) => `${countText(images, 'image')} waiting to be sent on`,
  partner: 'Partner',
  partnerStates: {
    unset: {
      tone: 'warning',
      name: 'Not set up',
      text: 'No partner is set up, so every worklist is refused.',
    },
    unknown: {
      tone: 'plain',
      name: 'Not asked yet',
      text: 'The partner has not been asked since the gateway started.',
    },
    up: { tone: 'good', name: 'Answering', text: 'The partner answers.' },
    down: { tone: 'danger', name: 'Not reachable', text: 'The partner cannot be reached.' },
    refusing: { tone: 'danger', name: 'Refusing', text: 'The partner answers, but refuses.' },
  } satisfies Record<PartnerStatus['state'], { tone: Tone; name: string; text: string }>,
  partnerUnusable: {
    tone: 'danger',
    name: 'Not usable',
    text: 'The partner answers, but its answers cannot be used.',
  } satisfies {
    tone: Tone
    name: string
    text: string
  },
  failingSince: 'Since',
  lastOk: 'Last good answer',
  downSince: 'Not reachable since',
  because: 'Because',
  address: 'Address',
  neverAnswered: 'none yet',
  downtime: 'Downtime mode',
  on: 'On',
  off: 'Off',
  downtimeOff:
    'If the partner cannot be reached for long, it lets devices have the last good list of today for some hours more.',
  downtimeOn: 'Devices may be given the last good list.',
  downtimeStart: 'Start downtime mode',
  downtimeEnd: 'End downtime mode',
  downtimeFacts: {
    by: 'Started by',
    since: 'Since',
    until: 'Ends at the latest',
    reason: 'Reason',
  },
  downtimeAsk: {
    title: 'Start downtime mode',
    about: [
      'While the partner cannot be reached, devices get its last good list of today, however old it is within the limit of the settings.',
      'Exams ordered, changed or cancelled since then are not in it. Tell the technologists.',
      'It ends by itself at midnight, or at the first answer of the partner.',
    ],
    reason: 'Reason',
    reasonAbout: 'It is shown to everybody and kept in the audit trail.',
    example: 'e.g. Internet line down, provider called at 10:50',
    cancel: 'Cancel',
  },
} as const

export type English = typeof en
