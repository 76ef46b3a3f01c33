export const en = {
  title: 'Settings',
  tabs: {
    label: 'Settings',
    all: 'Settings',
    access: 'Access from other PCs',
    backUps: 'Back-ups',
    readiness: 'Readiness',
  },
  about:
    'Changes take effect at once, except where a restart is named. All changes are saved together or none, and kept in the audit trail.',
  restart: 'takes effect at the next start',
  isInitial: 'first value',
  initial: (value: string) => `First value: ${value}`,
  reset: (label: string) => `Put ${label} back to its first value`,
  changed: (count: number) =>
    count === 1 ? '1 change is not saved' : `${count} changes are not saved`,
  faults: (names: readonly string[]) => `To correct: ${names.join(', ')}`,
  discard: 'Discard',
  save: 'Save all',
  saved: 'The settings are saved.',
  needsRestart: 'Saved. Some of these settings take effect when the gateway starts again.',
  restartNow: 'Restart now',
  plain: {
    title: 'Open the window to the network without encryption?',
    action: 'Save and open',
    keep: 'Back to the settings',
    texts: [
      'The HTTP listener is meant for this PC alone. At this address other PCs reach it too: passwords and patient data cross the network readable to anybody in it.',
      'No PC has to be approved for it.',
      'To let other PCs work with the window, leave 127.0.0.1 here and open access by HTTPS under “Access from other PCs”.',
    ],
  },
  on: 'On',
  off: 'Off',
  empty: 'none',
  noDestination: 'only when asked',
  list: 'Type a value and press Enter',
  localZone: 'Time zone of this PC',
  pem: '-----BEGIN CERTIFICATE-----',
  certificates: {
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
    endsSoon:
      'Renew it before it ends, and give the new one to those who were told to trust this one.',
    endedText:
      'Those who check it refuse to connect. Renew it, and give the new one to those who were told to trust this one.',
    copy: 'Copy PEM',
    copied: 'Copied',
    download: 'Download',
    renew: 'Renew',
    renewed: 'The new certificate is made.',
    renewTitle: 'Make a new certificate?',
    renewAction: 'Make a new one',
    renewText: {
      https:
        'Browsers and partner systems that were told to trust the old one must be given the new one. Until then they refuse to connect.',
      'dicom-tls':
        'Devices that were given the old one must be given the new one. Until then they cannot connect encrypted: they get no worklist and send no images.',
    },
    none: 'None yet. One is made when the gateway first listens encrypted.',
  },
} as const

export type English = typeof en
