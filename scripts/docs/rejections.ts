import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Device, NewDevice } from '#shared/contract/devices.ts'
import type { SettingKey } from '#shared/contract/settings.ts'
import en from '#shared/messages/en.json' with { type: 'json' }
import { englishText } from '#shared/messages/english.ts'
import { type Message, type MessageCode, message, verbatim } from '#shared/messages/message.ts'
import { openContext } from '../../electron/server/context.ts'
import { APPLICATION_CONTEXT, SOP_CLASS } from '../../electron/server/dicom/data-set/uids.ts'
import type { AssociationInfo, Rejection } from '../../electron/server/dicom/dimse/service.ts'
import {
  decide,
  type OpenAssociations,
  providerRejection,
  unlistedRejection,
} from '../../electron/server/dicom/upper-layer/association-admission.ts'
import { DEFAULT_LIMITS } from '../../electron/server/dicom/upper-layer/limits.ts'
import type { AssociateRq } from '../../electron/server/dicom/upper-layer/pdu.ts'
import { associationPolicy } from '../../electron/server/modules/devices/association-policy.ts'
import { addDevice } from '../../electron/server/modules/devices/devices.ts'
import { table } from './markdown.ts'
import { matchIn } from './source.ts'

/** PS3.8 Table 9-21. */
const WORDS: Readonly<Record<string, string>> = {
  '1/1/1': 'permanent, service user, no reason given',
  '1/1/2': 'permanent, service user, application context name not supported',
  '1/1/3': 'permanent, service user, calling AE title not recognized',
  '1/1/7': 'permanent, service user, called AE title not recognized',
  '1/2/2': 'permanent, service provider (ACSE), protocol version not supported',
  '2/3/1': 'transient, service provider (presentation), temporary congestion',
  '2/3/2': 'transient, service provider (presentation), local limit exceeded',
}

interface Scene {
  readonly when: string
  /** What to do, for an engineer. */
  readonly remedy: string
  /** Codes that the log can contain, if `meet` shows the text of one of them with `…` for values. */
  readonly codes?: readonly MessageCode[]
  readonly meet: () => Rejection | undefined
}

interface Given {
  readonly device?: Partial<Pick<Device, 'tls' | 'certificate' | 'retrieval'>>
  readonly isOff?: boolean
  readonly isOfTls?: boolean
  readonly called?: string
  readonly calling?: string
  readonly abstractSyntaxes?: readonly string[]
  readonly settings?: Partial<Record<SettingKey, unknown>>
  readonly storageFault?: Message
  readonly request?: Partial<AssociateRq>
  readonly tls?: AssociationInfo['tls']
}

const ADDRESS = '10.0.0.7'
const NONE: OpenAssociations = { all: 0, ofCaller: 0, ofHost: 0, unlisted: 0, unlistedOfHost: 0 }
/** Half of all associations, which is the limit of hosts and callers that are not expected. */
const HALF = Math.ceil(DEFAULT_LIMITS.associations / 2)

/** A data folder with the settings and the devices that are given. */
function openClinic({ device, isOff, isOfTls, settings = {} }: Given) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-rejections-'))
  const context = openContext({ folder, clock: Date.now, uuid: randomUUID })
  for (const [key, value] of Object.entries(settings))
    context.settings.set(key as SettingKey, value as never)
  const add = (more: Partial<NewDevice>) =>
    addDevice(
      context,
      { ...NewDevice.parse({ aeTitle: 'CT1', address: ADDRESS }), ...more },
      'gateway',
    )
  if (device || isOff) add({ ...device, isEnabled: !isOff })
  if (isOfTls) add({ address: '10.0.0.8', tls: 'required' })
  return {
    context,
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * What the policy of the gateway itself says to a caller, with as much of a clinic behind it as it
 * asks about.
 */
function policyOn(given: Given): Rejection | undefined {
  using clinic = openClinic(given)
  const policy = associationPolicy(
    clinic.context,
    () => given.storageFault,
    () => false,
  )
  const info: AssociationInfo = {
    associationId: '',
    callingAeTitle: given.calling ?? 'CT1',
    calledAeTitle: given.called ?? 'ISTHMUS',
    remoteAddress: ADDRESS,
    ...(given.tls && { tls: given.tls }),
  }
  const uids = given.abstractSyntaxes ?? [SOP_CLASS.modalityWorklistFind]
  const presentationContexts = uids.map((abstractSyntax, at) => ({
    id: at * 2 + 1,
    abstractSyntax,
    transferSyntaxes: [],
  }))
  const request = {
    applicationContext: APPLICATION_CONTEXT,
    presentationContexts,
    ...given.request,
  } as unknown as AssociateRq
  const decision = decide(request, info, NONE, policy, DEFAULT_LIMITS)
  return 'reject' in decision ? decision.reject : undefined
}

const acceptor = (open: OpenAssociations, protocolVersion = 1): Rejection | undefined =>
  providerRejection({ protocolVersion } as AssociateRq, open, DEFAULT_LIMITS)

const CT = '1.2.840.10008.5.1.4.1.1.2'
const TLS = {
  protocol: 'TLSv1.3',
  cipher: '',
  fingerprint256: undefined,
  isTrusted: false,
} as const

/** Every way an association is rejected, met by the code that rejects. */
export const SCENES: readonly Scene[] = [
  {
    when: 'the caller is not in the device list and requests a service other than Verification',
    remedy: 'approve the device under **Devices**, or correct its AE title or address there',
    meet: () => policyOn({}),
  },
  {
    when: 'the AE title belongs to a device that must use TLS, but the address differs from the listed one',
    remedy:
      'correct the address of the device under **Devices**; if the address is right, find the other host in your network',
    meet: () => policyOn({ isOfTls: true, settings: { 'dimse.allowUnknownDevices': true } }),
  },
  {
    when: 'the device is disabled',
    remedy: 'enable the device under **Devices**',
    meet: () => policyOn({ isOff: true }),
  },
  {
    when: 'the calling AE title is empty or invalid',
    remedy: 'give the device an AE title of 1 to 16 ASCII characters',
    meet: () => policyOn({ calling: '', settings: { 'dimse.allowUnknownDevices': true } }),
  },
  {
    when: 'the called AE title is wrong, and `dimse.calledAePolicy` is `strict` (the default, `warn`, accepts and logs it)',
    remedy:
      'correct the called AE title on the device, or set **Wrong called AE title** to **Log it and continue**',
    meet: () =>
      policyOn({ device: {}, called: 'PACS', settings: { 'dimse.calledAePolicy': 'strict' } }),
  },
  {
    when: 'a device that must use TLS connects without it',
    remedy:
      'connect the device to the TLS port, or set **Connections** to **Encrypted or unencrypted** in its form',
    meet: () => policyOn({ device: { tls: 'required' } }),
  },
  {
    when: 'a device that must present a certificate connects over TLS without one',
    remedy:
      'install a certificate on the device, or set **Connections** to **Encrypted only** in its form',
    meet: () => policyOn({ device: { tls: 'mutual' }, tls: TLS }),
  },
  {
    when: 'the certificate was not issued by an authority in `dimse.tlsAuthorities`',
    remedy:
      'enter the authority under **Settings** and restart the gateway, or enter the certificate in the form of the device',
    meet: () => policyOn({ device: { tls: 'mutual' }, tls: { ...TLS, fingerprint256: 'AA' } }),
  },
  {
    when: 'the certificate differs from the one entered for the device',
    remedy: 'enter the certificate that the device presents now',
    meet: () =>
      policyOn({
        device: { tls: 'mutual', certificate: 'none' },
        tls: { ...TLS, fingerprint256: 'AA' },
      }),
  },
  {
    when: 'the device has no access to studies and requests only Query/Retrieve',
    remedy:
      'if it is one of your devices, set **Access to studies** in its form, in the section **Query and retrieve**',
    meet: () => policyOn({ device: {}, abstractSyntaxes: [SOP_CLASS.studyRootFind] }),
  },
  {
    when: 'the device may only search, and requests only C-MOVE or C-GET',
    remedy:
      'set **Access to studies** in its form to **Search and retrieve images (C-FIND, C-MOVE, C-GET)**',
    meet: () =>
      policyOn({ device: { retrieval: 'query' }, abstractSyntaxes: [SOP_CLASS.studyRootGet] }),
  },
  {
    when: 'the caller is not in the device list and requests only Query/Retrieve, and `dimse.allowUnknownDevices` is on',
    remedy: 'approve the device under **Devices** and set **Access to studies**',
    meet: () =>
      policyOn({
        abstractSyntaxes: [SOP_CLASS.studyRootFind],
        settings: { 'dimse.allowUnknownDevices': true },
      }),
  },
  {
    when: 'there is too little disk space or the image folder cannot be written to, and the caller requests only storage',
    remedy: 'free disk space; the device retries automatically',
    codes: ['images.too-little-free', 'images.disk-full', 'images.folder-read-only'],
    meet: () =>
      policyOn({
        device: {},
        abstractSyntaxes: [CT],
        storageFault: verbatim(en['images.too-little-free'].replace(/\{[^}]*\}/g, '…')),
      }),
  },
  {
    when: 'the maximum number of associations is open',
    remedy: 'wait, or increase `dimse.maxAssociations`',
    meet: () => acceptor({ ...NONE, all: DEFAULT_LIMITS.associations }),
  },
  {
    when: 'the maximum number of associations from this device is open',
    remedy:
      'find out why the device does not release its associations, or increase `dimse.maxAssociationsPerDevice`',
    meet: () => acceptor({ ...NONE, ofCaller: DEFAULT_LIMITS.associationsPerCaller }),
  },
  {
    when: 'a host whose address belongs to no listed device has half of all associations open, or `dimse.maxAssociationsPerDevice` if that is more, whatever AE titles it uses',
    remedy:
      'if its devices are yours, enter the address in their forms; otherwise find the host in your network',
    meet: () => acceptor({ ...NONE, ofHost: HALF }),
  },
  {
    when: 'callers that are not in the device list have half of all associations open, or one such host has a tenth of them open',
    remedy:
      'if the caller is one of your devices, approve it under **Devices**; otherwise find the host in your network',
    meet: () => unlistedRejection({ ...NONE, unlisted: HALF }, DEFAULT_LIMITS),
  },
  {
    when: 'the gateway is about to be updated',
    remedy: 'wait a few minutes; the device retries automatically',
    meet: () => {
      const [, result, source, reason, code = ''] = matchIn(
        'modules/devices/dicom-services.ts',
        /reject: \{ result: (\d), source: (\d), reason: (\d), why: message\('([^']+)'\)/,
      )
      return {
        result: Number(result) as 1 | 2,
        source: Number(source) as 1 | 2 | 3,
        reason: Number(reason),
        why: message(code as MessageCode),
      }
    },
  },
  {
    when: 'the application context is not that of DICOM',
    remedy: 'find out which program connects; it is not a DICOM application',
    meet: () => policyOn({ request: { applicationContext: '1.2.3' } }),
  },
  {
    when: 'the protocol version is not 1',
    remedy: 'find out which program connects; it is not a DICOM application',
    meet: () => acceptor(NONE, 2),
  },
]

/** `1/1/3`, as logs of consoles have it. */
export const codeOf = ({ result, source, reason }: Rejection): string =>
  `${result}/${source}/${reason}`

function met({ when, meet }: Scene): Rejection {
  const rejection = meet()
  if (!rejection) throw new RangeError(`not rejected: ${when}`)
  return rejection
}

const meaningOf = (rejection: Rejection): string => {
  const words = WORDS[codeOf(rejection)]
  if (words === undefined)
    throw new RangeError(`${codeOf(rejection)} is not in PS3.8 Table 9-21 as it is here`)
  return words
}

export const rejectionTable = (): string =>
  table(
    ['result/source/reason', 'PS3.8 Table 9-21', 'when', '`code` in the log'],
    SCENES.map((scene) => {
      const rejection = met(scene)
      const codes = (scene.codes ?? [rejection.why.code]).map((code) => `\`${code}\``).join(', ')
      return [codeOf(rejection), meaningOf(rejection), scene.when, codes]
    }),
  )

const sayingOf = ({ why }: Rejection): string => englishText(why).replace(/\.$/, '')

/** The same for the engineer: text in the window, and what to do. */
export const remedyTable = (): string =>
  table(
    ['code', 'reason shown under **Activity**', 'when', 'what to do'],
    SCENES.map((scene) => {
      const rejection = met(scene)
      return [codeOf(rejection), sayingOf(rejection), scene.when, scene.remedy]
    }),
  )
