/** Programs whose settings for DICOMweb are shown, as in `docs/DICOMWEB.md`. */
export const DICOMWEB_PROGRAMS = ['ohif', 'weasis', 'orthanc', 'slicer', 'dicomweb-client'] as const
export type DicomwebProgram = (typeof DICOMWEB_PROGRAMS)[number]

/** Stands for the key, which is shown only when it is created. */
const KEY = 'sk_live_…'

/**
 * The settings of a program to be copied into it.
 * @param url address of DICOMweb without a slash at the end
 */
export const programSettings = (program: DicomwebProgram, url: string): string =>
  PROGRAM_SETTINGS[program](url)

const PROGRAM_SETTINGS: Readonly<Record<DicomwebProgram, (url: string) => string>> = {
  // The web server of OHIF adds the key, so that no browser has it.
  ohif: (url) => `location /dicom-web/ {
  proxy_pass ${url}/;
  proxy_set_header Authorization "Bearer ${KEY}";
  proxy_ssl_trusted_certificate /etc/nginx/isthmus.pem;
  proxy_ssl_verify on;
  proxy_buffering off;
}`,
  weasis: (url) => `URL:          ${url}
Type:         DICOMweb (all RESTful services)
HTTP Headers: Authorization:Bearer ${KEY}`,
  orthanc: (url) => `"DicomWeb": {
  "Enable": true,
  "Servers": {
    "isthmus": {
      "Url": "${url}/",
      "HttpHeaders": { "Authorization": "Bearer ${KEY}" },
      "HasDelete": false
    }
  }
}`,
  slicer: (url) => `from DICOMLib import DICOMUtils
DICOMUtils.importFromDICOMWeb(
    dicomWebEndpoint="${url}",
    studyInstanceUID="1.2.3",
    accessToken="${KEY}",
)`,
  'dicomweb-client': (url) => `new DICOMwebClient({
  url: '${url}',
  headers: { Authorization: 'Bearer ${KEY}' },
})`,
}
