/**
 * The page of the documentation site, and its heading, for each screen by the path of its route.
 * `test/help-site.test.ts` compares the paths with those of the router, and the pages with the site.
 */
export const HELP_PAGES: Readonly<Record<string, string>> = {
  '/welcome': 'install.html#first-start',
  '/sign-in': 'staff.html#screen-lock-keyboard-display-and-language',
  '/oidc': 'staff.html#screen-lock-keyboard-display-and-language',
  '/invitation': 'administration.html#add-a-user',
  '/linked/$viewId': 'staff.html#write-and-sign-a-report',
  '/setup': 'install.html#first-start',
  '/': 'staff.html#today',
  '/tour': 'readme.html#try-it',
  '/worklist': 'staff.html#an-exam-is-missing-from-the-worklist',
  '/worklist/why': 'staff.html#an-exam-is-missing-from-the-worklist',
  '/worklist/reconcile': 'staff.html#after-the-outage',
  '/worklist/ask': 'connecting.html#a-worklist-query-fails',
  '/studies': 'staff.html#studies',
  '/studies/$studyId': 'staff.html#studies',
  '/images': 'staff.html#browse-received-images',
  '/images/quarantine': 'staff.html#images-are-in-quarantine',
  '/images/recovered': 'staff.html#image-files-without-a-record',
  '/images/inform': 'staff.html#notify-everyone-who-received-the-wrong-images',
  '/images/$studyInstanceUid': 'staff.html#browse-received-images',
  '/images/$studyInstanceUid/resolve': 'staff.html#images-name-the-wrong-patient',
  '/reading': 'staff.html#write-and-sign-a-report',
  '/reading/criticals': 'staff.html#communicate-a-critical-result',
  '/reading/templates': 'staff.html#write-and-sign-a-report',
  '/reading/$studyId': 'staff.html#write-and-sign-a-report',
  '/customers': 'administration.html#share-studies-with-customers',
  '/customers/$expressCustomerId': 'administration.html#share-studies-with-customers',
  '/people': 'administration.html#add-a-user',
  '/devices': 'connecting.html#2-approve-the-device-in-the-gateway',
  '/devices/$deviceId': 'devices.html#the-service-page-of-a-device',
  '/destinations': 'devices.html#forward-images-to-an-archive',
  '/destinations/priors': 'devices.html#retrieve-prior-studies',
  '/destinations/$destinationId': 'devices.html#forward-images-to-an-archive',
  '/partner': 'administration.html#connect-a-partner',
  '/events': 'administration.html#a-report-was-not-delivered',
  '/events/meter': 'administration.html#let-a-partner-see-its-events',
  '/events/dry-run': 'sandbox.html#dry-run',
  '/events/$eventId': 'administration.html#a-report-was-not-delivered',
  '/keys': 'administration.html#let-a-partner-see-its-events',
  '/activity': 'administration.html#activity-and-settings',
  '/activity/associations': 'connecting.html#the-association-is-rejected',
  '/activity/associations/$associationId': 'connecting.html#the-association-is-rejected',
  '/queries': 'devices.html#the-worklist-is-empty-or-incomplete',
  '/queries/$inspectionId': 'devices.html#the-worklist-is-empty-or-incomplete',
  '/account': 'staff.html#screen-lock-keyboard-display-and-language',
  '/audit': 'operation.html#audit-log-and-collector',
  '/settings': 'administration.html#activity-and-settings',
  '/settings/access': 'administration.html#set-up-another-workstation',
  '/settings/backups': 'operation.html#backups-and-restore',
  '/settings/lifecycle': 'lifecycle.html#free-disk-space-safely',
  '/settings/readiness': 'install.html#before-the-first-patient',
  '/settings/tiers': 'tiers.html',
}

/** The tab of the documentation: one for all screens. */
export const HELP_TARGET = 'isthmus-help'

/** The address of the page that describes a screen. @param path of its route */
export const helpAddress = (path: string): string => `/help/${HELP_PAGES[path] ?? ''}`

export const openHelp = (path: string): void => {
  window.open(helpAddress(path), HELP_TARGET)
}
