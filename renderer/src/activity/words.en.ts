import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationEnd } from '#shared/contract/dashboard-activity.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'

export const en = {
  tabs: {
    label: 'Activity',
    live: 'Live',
    associations: 'Connections',
    queries: 'Worklist queries',
    audit: 'Audit',
  },
  forManagers: 'for owners and administrators',
  clear: 'Clear filters',
  device: 'Device',
  anyDevice: 'All devices',

  live: {
    title: 'Activity',
    about: 'What devices and the partner do, as it happens. No patient appears here.',
    label: 'What happens on the network, newest first',
    kind: 'Kind',
    anyKind: 'Everything',
    pause: 'Pause',
    resume: (count: number) => (count > 0 ? `Resume (${count} new)` : 'Resume'),
    none: 'Quiet so far',
    noneText:
      'When a device connects, it appears here. Test it with the echo (“verify”) function of the device.',
    noneFiltered: 'Nothing of this kind lately',
    noneFilteredText:
      'The live feed holds the last few hundred lines. Earlier connections are kept under Connections.',
    kinds: {
      opened: 'Connected',
      rejected: 'Rejected',
      echo: 'Echo',
      worklist: 'Worklist',
      closed: 'Closed',
      aborted: 'Broke off',
      partner: 'Partner',
      images: 'Images',
      'performed-step': 'Exam',
      commitment: 'Storage',
      enrichment: 'Patient data',
      forward: 'Sent on',
      disk: 'Disk',
      audit: 'Audit',
    } satisfies Record<FeedLine['kind'], string>,
  },

  list: {
    title: 'Connections',
    about:
      'Every connection of a device: what it wanted, what it got, how it ended. No patient appears here.',
    label: 'Connections of devices, newest first',
    search: 'Search connections',
    searchWhat: 'Device, AE title, address or reason',
    showLabel: 'Which connections',
    shows: { all: 'All', open: 'Open now', rejected: 'Rejected', failed: 'Failed' },
    columns: { at: 'Time', device: 'Device', story: 'What happened', end: 'Ended', took: 'Lasted' },
    newer: 'Show newer connections',
    more: 'Loading older connections…',
    last: 'No older connections are kept.',
    none: 'No connection yet',
    noneText:
      'When a device connects, even to be refused, it appears here. Test it with the echo (“verify”) function of the device.',
    noneFiltered: 'No connection fits',
    noneFilteredText:
      'Choose other filters, or clear them. Older connections than the settings keep are gone.',
    at: (address: string) => `Only from ${address}`,
    anyAddress: 'From any address',
    unnamed: 'No AE title',
    times: (count: string) => `${count} connections`,
    timesMeaning:
      'This caller came too often to keep each connection; those of one second share this row.',
    callers: 'Many callers',
  },

  ends: {
    open: { tone: 'info', name: 'Open', meaning: 'The device is connected now.' },
    released: {
      tone: 'good',
      name: 'Closed normally',
      meaning: 'The device ended the connection as it should.',
    },
    aborted: {
      tone: 'warning',
      name: 'Broke off',
      meaning: 'The connection ended without the device closing it properly.',
    },
    rejected: {
      tone: 'danger',
      name: 'Rejected',
      meaning: 'The gateway refused the connection; the reason is beside it.',
    },
    lost: {
      tone: 'warning',
      name: 'Ended with the gateway',
      meaning: 'It was open when the gateway or this PC went down.',
    },
  } satisfies Record<AssociationEnd, { tone: Tone; name: string; meaning: string }>,
  endedInFailure: 'Ended, with failures',
  endedInFailureMeaning:
    'The device closed the connection properly, but something it asked for was answered with a failure.',

  story: {
    connected: 'connected',
    rejected: 'was refused',
    nothing: 'connected and asked for nothing',
    echoes: (count: number) =>
      count === 1 ? 'tested the connection' : `tested the connection ${count} times`,
    queries: (count: number, exams: number) => {
      const got = exams === 0 ? 'got no exam' : `got ${countText(exams, 'exam')}`
      return count === 1
        ? `asked for its worklist and ${got}`
        : `asked for its worklist ${countText(count, 'time')} and ${got}`
    },
    instances: (count: number, size: string) =>
      `sent ${countText(count, 'image or object', 'images and objects')} (${size})`,
    steps: (count: number) =>
      count === 1 ? 'told of an exam’s progress' : `told ${count} times of the progress of exams`,
    commitments: (count: number) =>
      count === 1 ? 'asked to confirm storage' : `asked ${count} times to confirm storage`,
    failures: (count: number) =>
      count === 1 ? 'one request failed' : `${countText(count, 'request')} failed`,
  },

  one: {
    title: (who: string) => `Connection of ${who}`,
    back: 'All connections',
    copy: 'Copy for support',
    copied: 'Copied: paste it into a message',
    copyMeaning:
      'Who called, what happened and what was agreed, as text. AE titles and addresses are in it; no patient is.',
    deviceQueries: 'Queries of this device',
    deviceAll: 'All its connections',
    facts: {
      device: 'Device',
      aeTitle: 'AE title',
      called: 'It called',
      address: 'Address',
      transport: 'Encryption',
      began: 'Began',
      ended: 'Ended',
      lasted: 'Lasted',
      why: 'Reason',
      times: 'Stands for',
    },
    unknownDevice: 'not in the device list',
    wrongTitle: (ours: string) => `this gateway is ${ours}`,
    plain: 'none',
    notYet: 'it is open',
    notKnown: 'not known',
    happened: 'What happened',
    openQuery: 'Open the query',
    openImages: 'Open the images',
    omitted: (lines: string) => `${lines} more were not kept.`,
    noLines: 'No line of this connection is kept.',
    agreed: 'What was proposed and agreed',
    agreedAbout: 'What the device offered to do, and what the gateway took of it.',
    notAgreed:
      'Nothing was agreed: the connection was refused, or what was agreed is no longer kept.',
    termsFacts: { implementation: 'Software of the device', longest: 'Longest PDU it takes' },
    anyLength: 'any',
    bytes: (bytes: string) => `${bytes} bytes`,
    contexts: {
      id: 'No.',
      service: 'Service',
      proposed: 'Transfer syntaxes proposed',
      result: 'Result',
    },
    results: ['Accepted', 'Refused', 'Refused', 'Service not offered', 'No common transfer syntax'],
    gone: 'This connection is not kept any more',
    goneText: 'Connections are kept for as long as the settings say (activity.retentionDays).',
  },
} as const

export type English = typeof en
