import { describe, expect, it } from 'vitest'
import {
  type BannerState,
  bannerOf,
  bannersOf,
  timeText,
} from '#server/modules/dashboard/banner.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { textOf } from '../../../../support/saying.ts'

const at = (text: string) => `2026-11-20T${text}.000Z`
const well: BannerState = {
  listeners: [
    { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: null },
    { name: 'http', address: '127.0.0.1:8042', aeTitle: null, isUp: true, detail: null },
  ],
  partner: {
    url: 'https://partner.example',
    state: 'up',
    fault: null,
    detail: null,
    lastOkAt: at('09:40:10'),
    downSince: null,
  },
  downtime: { isOn: false, since: null, until: null, reason: '', userName: '' },
  storage: { state: 'ok', freeBytes: 9, totalBytes: 9, detail: null },
  now: Date.parse(at('09:42:30')),
  timeZone: 'Europe/Berlin',
  storedMinutes: 15,
  downtimeHours: 12,
}
const down: BannerState = {
  ...well,
  partner: {
    ...well.partner,
    state: 'down',
    fault: 'unreachable',
    detail: verbatim('connection refused'),
    downSince: at('09:42:00'),
  },
}
const inDowntime = {
  isOn: true,
  since: at('09:00:00'),
  until: '2026-11-20T23:00:00.000Z',
  reason: 'Router',
  userName: 'Vera Weber',
}

describe('the banner', () => {
  it('is absent when all is well, also before a partner is set or asked', () => {
    expect(bannerOf(well)).toBeNull()
    expect(
      bannerOf({
        ...well,
        partner: { ...well.partner, state: 'unset', url: null, lastOkAt: null },
      }),
    ).toBeNull()
    expect(
      bannerOf({ ...well, partner: { ...well.partner, state: 'unknown', lastOkAt: null } }),
    ).toBeNull()
  })

  it('says before all else that the gateway is in safe mode', () => {
    const text =
      'The gateway is in safe mode: devices are not served and nothing is sent. Restart it normally when the cause is known.'
    expect(bannerOf({ ...down, isSafe: true })).toEqual({ tone: 'danger', text })
    expect(bannersOf({ ...down, isSafe: true }).map((one) => one.text)).toEqual([
      text,
      bannerOf(down)?.text,
    ])
    expect(bannersOf(well)).toEqual([])
  })

  it('says that signed reports are late, and since when, once they are late', () => {
    const undelivered = {
      count: 1,
      since: at('08:40:00'),
      fault: verbatim('it responded with 500'),
      disabledEndpoints: [],
    }
    expect(bannerOf({ ...well, undelivered })).toEqual({
      tone: 'danger',
      text: 'A signed report has been waiting for delivery to the partner since 09:40 (it responded with 500). The gateway keeps retrying; call the partner about anything that cannot wait.',
    })
    expect(
      bannerOf({ ...well, undelivered: { ...undelivered, count: 3, fault: null } })?.text,
    ).toEqual(
      '3 signed reports have been waiting for delivery to the partner since 09:40. The gateway keeps retrying; call the partner about anything that cannot wait.',
    )
    expect(
      bannerOf({
        ...well,
        undelivered: { count: 0, since: null, fault: null, disabledEndpoints: [] },
      }),
    ).toBeNull()
    // No worklist at all is worse than a late report.
    expect(textOf(bannerOf({ ...down, undelivered })?.text)).toContain('Partner unreachable')
  })

  it('names an endpoint that is switched off before all else of the partner', () => {
    const disabledEndpoints = [
      {
        name: 'ris.example',
        reason: verbatim('It answered a report with 410: this address is no longer used.'),
      },
    ]
    expect(
      bannerOf({
        ...down,
        undelivered: {
          count: 2,
          since: at('08:40:00'),
          fault: null,
          disabledEndpoints: disabledEndpoints,
        },
      }),
    ).toEqual({
      tone: 'danger',
      text: 'No reports are sent to “ris.example”. It answered a report with 410: this address is no longer used. Enable it again, or enter its new address, under Partner.',
    })
  })

  it('says since when the partner is unreachable and how old the worklists are, in the time of the clinic', () => {
    expect(bannerOf(down)).toEqual({
      tone: 'warning',
      text: 'Partner unreachable (since 10:42). Devices get the worklist of 10:40 (2 min old).',
    })
  })

  it('names each fault in words', () => {
    const text = (fault: NonNullable<BannerState['partner']['fault']>) =>
      textOf(bannerOf({ ...down, partner: { ...down.partner, fault } })?.text)
    expect(text('timeout')).toContain('The partner does not respond in time (since 10:42).')
    expect(text('invalid')).toContain(
      'The partner sends responses that cannot be read (since 10:42).',
    )
    expect(text('circuit-open')).toContain('Partner unreachable (since 10:42).')
  })

  it('turns to danger when the last answer is too old to be served', () => {
    const later = { ...down, now: Date.parse(at('10:10:00')) }
    expect(bannerOf(later)).toEqual({
      tone: 'danger',
      text: 'Partner unreachable (since 10:42). The last response is from 10:40 (29 min old), which is too old to serve: devices get no worklist. Enable downtime mode to serve it for longer.',
    })
    expect(bannerOf({ ...later, downtime: inDowntime })).toEqual({
      tone: 'warning',
      text: 'Partner unreachable (since 10:42). Devices get the worklist of 10:40 (29 min old). Downtime mode has been enabled since 10:00 (Vera Weber), and lasts until 21 Nov, 00:00 at the latest.',
    })
  })

  it('never serves an answer of yesterday for long, downtime or not', () => {
    const nightDown = {
      ...down,
      partner: { ...down.partner, lastOkAt: at('22:50:00'), downSince: at('22:52:00') },
    }
    const soon = { ...nightDown, now: Date.parse(at('23:04:00')) }
    expect(bannerOf(soon)?.text).toEqual(
      'Partner unreachable (since 20 Nov, 23:52). Devices get the worklist of 20 Nov, 23:50 (14 min old).',
    )
    const later = { ...nightDown, now: Date.parse('2026-11-21T01:00:00.000Z') }
    const tooOld =
      'Partner unreachable (since 20 Nov, 23:52). The last response is from 20 Nov, 23:50 (2 h old), which is too old to serve: devices get no worklist.'
    expect(bannerOf(later)).toEqual({ tone: 'danger', text: tooOld })
    expect(bannerOf({ ...later, downtime: inDowntime })?.text).toEqual(tooOld)
  })

  it('turns to danger when there is no earlier answer, or the partner refuses', () => {
    expect(bannerOf({ ...down, partner: { ...down.partner, lastOkAt: null } })).toEqual({
      tone: 'danger',
      text: 'Partner unreachable (since 10:42). There is no earlier response: devices get no worklist.',
    })
    expect(
      bannerOf({ ...down, partner: { ...down.partner, state: 'refusing', fault: 'refused' } }),
    ).toEqual({
      tone: 'danger',
      text: 'The partner refuses worklist queries (since 10:42). Devices get no worklist.',
    })
  })

  it('says that downtime mode is on while the partner is well', () => {
    expect(bannerOf({ ...well, downtime: inDowntime })).toEqual({
      tone: 'warning',
      text: 'Downtime mode has been enabled since 10:00 (Vera Weber), and lasts until 21 Nov, 00:00 at the latest. It ends automatically with the next response from the partner.',
    })
  })

  it('puts a listener that is down before all else', () => {
    const listeners = well.listeners.map((listener) => ({
      ...listener,
      isUp: listener.name !== 'dimse',
      detail: message('http.port-used', {
        ...{ name: 'DIMSE', host: '0.0.0.0', port: 11112, option: '--dimse HOST:PORT' },
      }),
    }))
    expect(bannerOf({ ...down, listeners })).toEqual({
      tone: 'danger',
      text: 'No device can reach the gateway: its DICOM listener is down, because another program uses its port. An administrator can close that program or choose another port.',
    })
  })
})

describe('the banner about images', () => {
  const storage = (state: BannerState['storage']['state'], detail: string) => ({
    ...well.storage,
    state,
    detail: verbatim(detail),
  })

  it('puts a disk that takes no more images before the partner, and a disk that fills up after it', () => {
    const full = storage(
      'full',
      'No images are accepted: 4 GB are free, less than the 5 GB that must stay free.',
    )
    expect(bannerOf({ ...down, storage: full })).toEqual({
      tone: 'danger',
      text: 'No images are accepted: 4 GB are free, less than the 5 GB that must stay free. Devices keep their images until this is fixed.',
    })
    const readOnly = storage(
      'read-only',
      'The image folder cannot be written to: no images are accepted.',
    )
    expect(bannerOf({ ...down, storage: readOnly })).toEqual({
      tone: 'danger',
      text: 'The image folder cannot be written to: no images are accepted. Devices keep their images until this is fixed.',
    })
    const low = storage('low', '15 GB are free; below 5 GB no more images are accepted.')
    expect(textOf(bannerOf({ ...down, storage: low })?.text)).toContain(
      'Partner unreachable (since',
    )
    expect(bannerOf({ ...well, storage: low, downtime: inDowntime })).toEqual({
      tone: 'warning',
      text: '15 GB are free; below 5 GB no more images are accepted.',
    })
  })

  it('names the TLS listener, unless the plain one is down too', () => {
    const tls = {
      name: 'dimse-tls',
      address: '0.0.0.0:2762',
      aeTitle: 'ISTHMUS',
      isUp: false,
      detail: verbatim('EPROTO --dimse-tls'),
    } as const
    expect(bannerOf({ ...well, listeners: [tls, ...well.listeners] })).toEqual({
      tone: 'danger',
      text: 'No device can reach the gateway by TLS: its DICOM TLS listener is down. An administrator can see the cause under Today.',
    })
    const none = [tls, ...well.listeners.map((listener) => ({ ...listener, isUp: false }))]
    expect(bannerOf({ ...well, listeners: none })?.text).toEqual(
      'No device can reach the gateway: its DICOM listener is down. An administrator can see the cause under Today.',
    )
  })
})

describe('a time', () => {
  it('has its day when that is not today in the time zone of the clinic', () => {
    const now = Date.parse('2026-11-20T23:30:00.000Z')
    expect(timeText('2026-11-20T23:10:00.000Z', 'Europe/Berlin', now)).toBe('00:10')
    expect(timeText('2026-11-20T22:10:00.000Z', 'Europe/Berlin', now)).toEqual('20 Nov, 23:10')
    expect(timeText('2026-11-20T22:10:00.000Z', 'America/New_York', now)).toBe('17:10')
  })
})
