import type { SettingKey } from '#shared/contract/settings.ts'

export const en = {
  /** Groups in their order, by the first part of a key. */
  groups: {
    clinic: { title: 'Clinic', about: 'Who this clinic is, and what “today” means here.' },
    worklist: {
      title: 'Worklist',
      about:
        'How long an answer is waited for, used again and kept for an outage, and which days are asked for.',
    },
    dimse: {
      title: 'Devices (DICOM)',
      about: 'Where devices reach this gateway, and how patient it is with them.',
    },
    intake: {
      title: 'Images',
      about:
        'What happens with images as they arrive, and how much room on the disk is kept free. Images that are here are never deleted for room.',
    },
    commitment: {
      title: 'Storage confirmation',
      about:
        'Some devices delete their images once another system has confirmed that it keeps them (storage commitment).',
    },
    forwarding: {
      title: 'Sending on',
      about: 'How long is tried to send images to a destination that does not take them.',
    },
    reports: {
      title: 'Reports',
      about:
        'How a signed report looks, where it is kept, and how long one stays taken by who writes it.',
    },
    partner: {
      title: 'Partner',
      about: 'What may be called beside https at public addresses, and how secrets are changed.',
    },
    events: {
      title: 'Events',
      about:
        'How long it can be looked up what was sent to the partner and answered. Answers may hold patient data.',
    },
    http: {
      title: 'Window and interface (HTTP)',
      about: 'Where this window and the interface for partners are reached.',
    },
    https: {
      title: 'Access from other PCs (HTTPS)',
      about:
        'Where other PCs of the clinic reach this window and the interface. “Access from other PCs” opens it, shows its addresses and approves PCs.',
    },
    window: {
      title: 'Signing in',
      about: 'When a window is locked, and when its person has to sign in anew.',
    },
    mail: {
      title: 'Mail',
      about:
        'The server that sends invitations. The screen People sets it together with its password, and tests it.',
    },
    viewer: {
      title: 'Viewer',
      about:
        'How long a link into the viewer works, how long images stay open, and how much room images of the partner may take.',
    },
    audit: {
      title: 'Audit collector',
      about:
        'Where the audit trail is sent as it is written: syslog over TLS with DICOM audit messages. What collects it shows a trail that was changed on this PC.',
    },
    activity: {
      title: 'Connections of devices',
      about: 'How long it can be looked up which device connected when, and what came of it.',
    },
    backup: {
      title: 'Back-ups',
      about:
        'Where copies of the data of this gateway are written to, when, and for how long they are kept. The screen “Back-ups” shows them and puts one back.',
    },
    update: {
      title: 'Updates',
      about:
        'Whether the desktop app installs updates by itself, and when. A gateway that runs as a service is updated by its packages.',
    },
    setup: { title: 'First-run wizard', about: 'It goes through what a new gateway needs.' },
    inspector: {
      title: 'Query inspector',
      about: 'How long queries can be looked into. They hold patient data.',
    },
  },
  labels: {
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
    'reports.paper': 'Paper',
    'reports.letterhead': 'Letterhead',
    'reports.archiveCopies': 'Keep reports as DICOM objects',
    'reports.destinationId': 'Send reports on to',
    'reports.lockSeconds': 'A report stays taken for (s)',
    'partner.secretOverlapHours': 'An old secret goes on signing for (h)',
    'events.retentionDays': 'Keep events for (days)',
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
    'intake.stepsOfOthers': 'Performed steps of other devices',
    'intake.acceptUnknownClasses': 'Keep objects of unknown kinds',
    'intake.warnGigabytes': 'Warn below free space (GB)',
    'intake.stopGigabytes': 'Take no more images below (GB)',
    'commitment.isOn': 'Confirm storage',
    'forwarding.giveUpHours': 'Try again for (h)',
    'viewer.linkMinutes': 'Links work for (min)',
    'viewer.sessionHours': 'Images stay open for (h)',
    'viewer.idleMinutes': 'Unused, they close after (min)',
    'viewer.cacheGigabytes': 'Room for images of the partner (GB)',
    'https.isOn': 'Open to other PCs',
    'https.host': 'Listen at address',
    'https.port': 'TCP port',
    'window.lockMinutes': 'Lock a window that is not used after (min)',
    'window.sessionHours': 'Sign in anew after (h)',
    'setup.isDone': 'The wizard is done with',
    'backup.folder': 'Folder for back-ups',
    'backup.dailyAt': 'Every day at',
    'backup.everyMinutes': 'For a standby, every (min)',
    'backup.keepDaily': 'Keep the last of (days)',
    'backup.keepWeekly': 'Keep the last of (weeks)',
    'backup.keepMonthly': 'Keep the last of (months)',
    'update.isAutomatic': 'Install updates by itself',
    'update.at': 'Hour of maintenance from',
    'audit.collectorHost': 'Host',
    'audit.collectorPort': 'TCP port',
    'audit.collectorAuthorities': 'Certificates of its authorities (PEM)',
    'audit.collectorIdentity': 'Show the certificate of the gateway',
    'activity.retentionDays': 'Keep connections for (days)',
    'inspector.retentionHours': 'Keep queries for (h)',
  } satisfies Record<SettingKey, string>,
  /** Of values that are chosen from a list. */
  options: {
    warn: 'Note it and go on',
    strict: 'Reject the device',
    scribe: 'Reporting (scribe)',
    viewer: 'Viewer',
  },
} as const

export type English = typeof en
