import type { SettingKey } from '#shared/contract/settings.ts'

export const words = {
  title: 'Settings',
  about:
    'Changes take effect at once, except where a restart is named. All changes are saved together or none, and kept in the audit trail.',
  restart: 'takes effect at the next start',
  isInitial: 'first value',
  initial: (value: string) => `First value: ${value}`,
  reset: (label: string) => `Put ${label} back to its first value`,
  changed: (count: number) => (count === 1 ? '1 change is not saved' : `${count} changes are not saved`),
  faults: (names: readonly string[]) => `To correct: ${names.join(', ')}`,
  discard: 'Discard',
  save: 'Save all',
  saved: 'The settings are saved.',
  needsRestart: 'Saved. Some of these settings take effect when the gateway starts again.',
  restartNow: 'Restart now',
  on: 'On',
  off: 'Off',
  empty: 'none',
  list: 'Type a value and press Enter',
  localZone: 'Time zone of this PC',
  pem: '-----BEGIN CERTIFICATE-----',
} as const

/** Groups in their order, by the first part of a key. */
export const GROUPS: Record<string, { title: string; about: string }> = {
  clinic: { title: 'Clinic', about: 'Who this clinic is, and what “today” means here.' },
  worklist: {
    title: 'Worklist',
    about: 'How long an answer is waited for, used again and kept for an outage, and which days are asked for.',
  },
  dimse: { title: 'Devices (DICOM)', about: 'Where devices reach this gateway, and how patient it is with them.' },
  intake: {
    title: 'Images',
    about:
      'What happens with images as they arrive, and how much room on the disk is kept free. Images that are here are never deleted for room.',
  },
  commitment: {
    title: 'Storage confirmation',
    about: 'Some devices delete their images once another system has confirmed that it keeps them (storage commitment).',
  },
  forwarding: { title: 'Sending on', about: 'How long is tried to send images to a destination that does not take them.' },
  partner: { title: 'Partner', about: 'What may be called beside https at public addresses.' },
  http: { title: 'Window and interface (HTTP)', about: 'Where this window and the interface for partners are reached.' },
  mail: {
    title: 'Mail',
    about: 'The server that sends invitations. The screen People sets it together with its password, and tests it.',
  },
  viewer: { title: 'Viewer', about: 'How long a link into the viewer works before it must be asked for again.' },
  inspector: { title: 'Query inspector', about: 'How long queries can be looked into. They hold patient data.' },
}

/** Names of settings; one that is not here is named by its key. */
export const LABELS: Partial<Record<SettingKey, string>> = {
  'clinic.id': 'Clinic id',
  'clinic.name': 'Name of the clinic',
  'clinic.timeZone': 'Time zone',
  'dimse.host': 'Listen at address',
  'dimse.port': 'TCP port',
  'dimse.aeTitle': 'AE title of this gateway',
  'dimse.calledAePolicy': 'Wrong called AE title',
  'dimse.allowUnknownDevices': 'Serve unknown devices',
  'dimse.maxAssociations': 'Associations, all devices',
  'dimse.maxAssociationsPerDevice': 'Associations, one device',
  'dimse.artimSeconds': 'Time to open an association (s)',
  'dimse.idleSeconds': 'Silence before an abort (s)',
  'dimse.tlsPort': 'TCP port for TLS',
  'dimse.tlsAuthorities': 'Authorities for devices’ certificates (PEM)',
  'http.host': 'Listen at address',
  'http.port': 'TCP port',
  'http.publicUrl': 'Public address (URL)',
  'http.allowedHosts': 'Further host names',
  'http.ratePerSecond': 'Calls a second, for each API key',
  'http.rateBurst': 'Calls at once, for each API key',
  'mail.host': 'SMTP server',
  'mail.port': 'TCP port',
  'mail.security': 'Security of the connection',
  'mail.user': 'User name',
  'mail.from': 'Sender',
  'mail.certificate': 'Certificate (PEM)',
  'partner.plaintextHosts': 'Hosts reached by plain http or privately',
  'worklist.freshSeconds': 'Use an answer again for (s)',
  'worklist.budgetSeconds': 'Wait for the partner (s)',
  'worklist.storedMinutes': 'Serve the last good answer for (min)',
  'worklist.downtimeHours': 'In downtime mode, serve it for (h)',
  'worklist.daysBack': 'Days back',
  'worklist.daysForward': 'Days ahead',
  'worklist.maxRows': 'Most exams in one answer',
  'worklist.closeOnImages': 'Images take an exam off the list',
  'intake.areas': 'Studies appear by themselves in',
  'intake.idleSeconds': 'Quiet before a study counts as complete (s)',
  'intake.capMinutes': 'A study appears at the latest after (min)',
  'intake.acceptUnknownClasses': 'Keep objects of unknown kinds',
  'intake.warnGigabytes': 'Warn below free space (GB)',
  'intake.stopGigabytes': 'Take no more images below (GB)',
  'commitment.isOn': 'Confirm storage',
  'forwarding.giveUpHours': 'Try again for (h)',
  'viewer.linkMinutes': 'Links work for (min)',
  'inspector.retentionHours': 'Keep queries for (h)',
}

/** Names of the values of settings that are chosen from a list. */
export const OPTIONS: Readonly<Record<string, string>> = {
  warn: 'Note it and go on',
  strict: 'Reject the device',
  scribe: 'Reporting (scribe)',
  viewer: 'Viewer',
}

export const certificates = {
  title: 'Certificates',
  about:
    'What this gateway shows when somebody connects encrypted. A certificate that was made here is not known to anybody: give it to the devices and PCs that are to trust it.',
  uses: { https: 'Window and interface (HTTPS)', 'dicom-tls': 'Devices (DICOM TLS)' },
  inUse: 'In use',
  notInUse: 'Not in use',
  subject: 'For',
  issuer: 'Issued by',
  selfMade: 'this gateway itself',
  valid: 'Valid',
  validity: (from: string, to: string) => `${from} to ${to}`,
  fingerprint: 'Fingerprint (SHA-256)',
  left: (days: number) => (days === 1 ? '1 day left' : `${days} days left`),
  ended: 'Has ended',
  copy: 'Copy PEM',
  copied: 'Copied',
  download: 'Download',
  renew: 'Renew',
  renewed: 'The new certificate is made.',
  renewTitle: 'Make a new certificate?',
  renewAction: 'Make a new one',
  renewText: {
    https: 'Browsers and partner systems that were told to trust the old one must be given the new one. Until then they refuse to connect.',
    'dicom-tls':
      'Devices that were given the old one must be given the new one. Until then they cannot connect encrypted: they get no worklist and send no images.',
  },
  none: 'None yet. One is made when the gateway first listens encrypted.',
} as const
