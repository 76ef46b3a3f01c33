/** What the gateway really says, put together, and the same in Spanish. No patient is named. */
export const COMPOSED: readonly (readonly [english: string, spanish: string])[] = [
  [
    'CT 1 (CT1) connected for Modality Worklist, Verification.',
    'CT 1 (CT1) se conectó para Modality Worklist, Verification.',
  ],
  [
    'CT 1 (CT1) connected for storage of 3 kinds of objects, Verification, calling us OTHER instead of ISTHMUS.',
    'CT 1 (CT1) se conectó para almacenamiento de 3 tipos de objetos, Verification, y nos llamó OTHER en lugar de ISTHMUS.',
  ],
  [
    'CT 1 asked the same 12 times more and was given the same 6 exams.',
    'CT 1 preguntó lo mismo 12 veces más y recibió las mismas 6 exploraciones.',
  ],
  [
    'CT 1 asked the same once more and was given nothing as before.',
    'CT 1 preguntó lo mismo una vez más y recibió de nuevo nada.',
  ],
  [
    'MR7 was refused: it is not in the device list.',
    'Se rechazó a MR7: no está en la lista de dispositivos.',
  ],
  [
    'MR7 was refused: it called OTHER, this gateway is ISTHMUS.',
    'Se rechazó a MR7: llamó a OTHER, esta pasarela es ISTHMUS.',
  ],
  [
    'CT 1 (CT1) tested the connection (C-ECHO): it works.',
    'CT 1 (CT1) probó la conexión (C-ECHO): funciona.',
  ],
  [
    'A connection from 10.0.3.7 ended before it asked for anything: connection closed by the peer.',
    'Una conexión desde 10.0.3.7 terminó antes de pedir nada: el otro lado cerró la conexión.',
  ],
  [
    'The connection of CT1 broke off: silent for 30 s.',
    'La conexión de CT1 se interrumpió: en silencio durante 30 s.',
  ],
  [
    "The connection of CT1 broke off: aborted by the peer's upper layer.",
    'La conexión de CT1 se interrumpió: abortada por la capa superior del otro lado.',
  ],
  [
    'The connection of CT1 broke off: aborted by the gateway: unexpected P-DATA-TF.',
    'La conexión de CT1 se interrumpió: abortada por la pasarela: P-DATA-TF inesperado.',
  ],
  [
    'CT1 asked for today’s list; the partner answered 3 exams in 40 ms; 3 sent.',
    'CT1 pidió la lista de hoy; el socio respondió con 3 exploraciones en 40 ms; 3 enviadas.',
  ],
  [
    'CT room (CT1) (asked by Ana Ruiz from the window) asked for the CT list of 2026-11-20 to 2026-11-22 (it named no day); the partner answered that nothing is scheduled in 12 ms, asked once for several queries; 0 sent.',
    'CT room (CT1) (a petición de Ana Ruiz desde la ventana) pidió la lista CT del 2026-11-20 al 2026-11-22 (no indicó ningún día); el socio respondió que no hay nada programado en 12 ms, preguntado una sola vez para varias consultas; 0 enviadas.',
  ],
  [
    'CT1 asked for tomorrow’s CT list; the partner answered 12 exams 5 s ago; 100 sent, 20 cut, as more than 100 matched, 2 done or in progress, 3 did not match (Modality, ScheduledProcedureStepStartDate), 3 withheld.',
    'CT1 pidió la lista CT de mañana; el socio respondió con 12 exploraciones hace 5 s; 100 enviadas, 20 cortadas, porque coincidían más de 100, 2 hechas o en curso, 3 no coincidían (Modality, ScheduledProcedureStepStartDate), 3 retenidas.',
  ],
  [
    'CT1 asked for one order or patient in the CT list; answer from 10:42 (12 min old, downtime mode) because the partner could not be reached; 5 sent.',
    'CT1 pidió una petición o un paciente en la lista CT; respuesta de las 10:42 (hace 12 min, modo de contingencia) porque no se pudo contactar con el socio; 5 enviadas.',
  ],
  [
    'CT1 asked for the list of 2026-11-22; answer from 10:42 (under a minute old) because the partner answered with an error; the device cancelled while rows were sent.',
    'CT1 pidió la lista del 2026-11-22; respuesta de las 10:42 (hace menos de un minuto) porque el socio respondió con un error; el dispositivo canceló mientras se enviaban las filas.',
  ],
  [
    'CT1 asked for today’s CT list; the partner answered 1 exam 5 s ago; 0 sent, 1 withheld, told the device that it failed, so that its list does not look empty.',
    'CT1 pidió la lista CT de hoy; el socio respondió con 1 exploración hace 5 s; 0 enviadas, 1 retenida, se dijo al dispositivo que falló, para que su lista no parezca vacía.',
  ],
  [
    'CT1 asked for today’s list; it failed because the partner took too long.',
    'CT1 pidió la lista de hoy; falló porque el socio tardó demasiado.',
  ],
  [
    'CT1 asked for the worklist; it failed because of an error in the gateway (reference 1a2b3c4d).',
    'CT1 pidió la lista de trabajo; falló por un error de la pasarela (referencia 1a2b3c4d).',
  ],
  [
    'CT1 asked in a way that could not be understood: ScheduledProcedureStepStartDate: the range ends before it begins.',
    'CT1 preguntó de un modo que no se pudo entender: ScheduledProcedureStepStartDate: el intervalo termina antes de empezar.',
  ],
  [
    'CT1 asked for yesterday’s list and cancelled before there was an answer.',
    'CT1 pidió la lista de ayer y canceló antes de que hubiera respuesta.',
  ],
  [
    'Partner unreachable since 10:42. Devices get no worklist.',
    'No se puede contactar con el socio desde 10:42. Los dispositivos no reciben lista de trabajo.',
  ],
  [
    'Partner does not answer in time since 10:42. Worklists come from 10:40 (2 min old).',
    'El socio no responde a tiempo desde 10:42. Las listas de trabajo son de 10:40 (hace 2 min).',
  ],
  [
    'Partner unreachable since 19 Nov 10:42. Worklists come from 10:40 (3 h old). Downtime mode is on since 10:50 (Ana Ruiz), until 23:59 at the latest.',
    'No se puede contactar con el socio desde 19 Nov 10:42. Las listas de trabajo son de 10:40 (hace 3 h). El modo de contingencia está activado desde 10:50 (Ana Ruiz), hasta 23:59 como máximo.',
  ],
  [
    'Partner unreachable since 10:42. The last answer is from 10:40 (3 h old), too old to serve: devices get no worklist. Downtime mode serves it for longer.',
    'No se puede contactar con el socio desde 10:42. La última respuesta es de 10:40 (hace 3 h), demasiado antigua para servirla: los dispositivos no reciben lista de trabajo. El modo de contingencia la sirve durante más tiempo.',
  ],
  [
    'No device can reach the gateway: its DICOM listener is down (EADDRINUSE).',
    'Ningún dispositivo puede llegar a la pasarela: su servicio DICOM no funciona (EADDRINUSE).',
  ],
  [
    'Downtime mode is on since 10:50 (Ana Ruiz), until 23:59 at the latest. It ends with the next live answer.',
    'El modo de contingencia está activado desde 10:50 (Ana Ruiz), hasta 23:59 como máximo. Termina con la próxima respuesta en directo.',
  ],
  [
    '3 signed reports have not reached the partner since 10:42 (it answered 404; the path of its address may be wrong). They are tried again by themselves; tell the partner by phone what cannot wait.',
    '3 informes firmados no han llegado al socio desde 10:42 (respondió 404; puede que la ruta de su dirección sea incorrecta). Se intentan de nuevo automáticamente; comunique al socio por teléfono lo que no puede esperar.',
  ],
  [
    'Reports for Partner A wait. It answered a report with 410: this address is no longer used. Switch it on again, or enter its new address, under Partner.',
    'Los informes para Partner A esperan. Respondió 410 a un informe: esta dirección ya no se usa. Actívelo de nuevo o indique su nueva dirección en Socio.',
  ],
  [
    'No images are taken: 1.2 GB are free, fewer than the 5 GB to be kept free. Devices keep theirs until this is mended.',
    'No se aceptan imágenes: hay 1.2 GB libres, menos de los 5 GB que deben quedar libres. Los dispositivos conservan las suyas hasta que se solucione.',
  ],
  [
    '1.2 GB are free; below 5 GB no more images are taken.',
    'Hay 1.2 GB libres; por debajo de 5 GB no se aceptan más imágenes.',
  ],
  [
    'The certificate of DICOM TLS ends in 12 days. Renew it under Settings, and give the new one to who trusts the old one.',
    'El certificado de DICOM TLS caduca en 12 días. Renuévelo en Ajustes y entregue el nuevo a quien confía en el anterior.',
  ],
  [
    '3 devices may call by TLS only, but DICOM TLS is off: set dimse.tlsPort under Settings and start again.',
    '3 dispositivos solo pueden llamar por TLS, pero DICOM TLS está desactivado: defina dimse.tlsPort en Ajustes y reinicie.',
  ],
  ['Sent 12 objects of 1 study.', 'Envió 12 objetos de 1 estudio.'],
  [
    'Sent 12 objects of 2 studies (3 of them here already, 1 set aside). Then the transfer broke off: the other side cut the connection.',
    'Envió 12 objetos de 2 estudios (3 de ellos ya estaban aquí, 1 apartado). Después la transferencia se interrumpió: el otro lado cortó la conexión.',
  ],
  [
    'Accepted and set aside: Another object of the same UID is here in another study.',
    'Aceptado y apartado: Otro objeto con el mismo UID está aquí en otro estudio.',
  ],
  [
    'Refused: Too little disk space (status A700).',
    'Rechazado: Demasiado poco espacio en disco (estado A700).',
  ],
  ['12 images sent to PACS.', 'Envío a PACS: 12 imágenes.'],
  [
    '12 images not sent to PACS: it has no room left, for example on its disk (status A700). Somebody has to decide what becomes of them.',
    'Sin enviar a PACS, 12 imágenes: no le queda espacio, por ejemplo en su disco (estado A700). Alguien tiene que decidir qué se hace con ellas.',
  ],
  [
    'PACS takes no images now: nothing listens at 10.0.0.9:104: check that it is switched on and that the port is right. Waiting for it here: 1 image.',
    'PACS no acepta imágenes ahora: nada escucha en 10.0.0.9:104: compruebe que está encendido y que el puerto es correcto. Esperan aquí: 1 imagen.',
  ],
  [
    'A study of 5 objects in 2 series is here and can now be read under Reporting and under Viewer.',
    'Un estudio de 5 objetos en 2 series está aquí y ya se puede leer en Informes y en Visor.',
  ],
  [
    'The partner gave no answer: it answered 500. What the images say stands meanwhile.',
    'El socio no respondió: respondió 500. Entretanto vale lo que dicen las imágenes.',
  ],
  [
    'Gave 12 images, a manifest and 1 other file.',
    'Entregó 12 imágenes, un manifiesto y 1 archivo más.',
  ],
  [
    'Kept with the study: the indication, 2 notes, 1 prior report.',
    'Se guardó con el estudio: la indicación, 2 notas, 1 informe anterior.',
  ],
  [
    '3 files would be loaded with 1 other file, by a manifest of 12 instances. One part of it is not as agreed.',
    'Se cargarían 3 archivos con 1 archivo más, con un manifiesto de 12 instancias. Una parte no es como se acordó.',
  ],
  [
    '3 files would be loaded, without a manifest. 2 parts of it are not as agreed.',
    'Se cargarían 3 archivos, sin manifiesto. 2 partes no son como se acordó.',
  ],
  [
    '12 exams would be read, each for itself.',
    'Se leerían 12 exploraciones, cada una por separado.',
  ],
  [
    'It would be used for clinicalIndication, priorReports.',
    'Se usaría para clinicalIndication, priorReports.',
  ],
  [
    'The partner answered in 42 ms, and 2 parts of the answer would be left out.',
    'El socio respondió en 42 ms, y se omitirían 2 partes de la respuesta.',
  ],
  [
    'The partner answered with 12 exams for today in 40 ms.',
    'El socio respondió con 12 exploraciones para hoy en 40 ms.',
  ],
  [
    'The partner gave no list: its certificate has expired.',
    'El socio no dio ninguna lista: su certificado ha caducado.',
  ],
  [
    'The partner gave no list: it is a private address, and its host and port are not listed.',
    'El socio no dio ninguna lista: es una dirección privada, y su host y puerto no están en la lista.',
  ],
  [
    '12 images are part of their study now; 2 of them took the place of others, which are kept.',
    '12 imágenes ya forman parte de su estudio; 2 de ellas ocuparon el lugar de otras, que se conservan.',
  ],
  [
    '3 images were deleted. The files of 2 of them could not be deleted now: the next start moves them to the recovery folder.',
    '3 imágenes se eliminaron. Los archivos de 2 de ellas no se pudieron eliminar ahora: el próximo inicio los mueve a la carpeta de recuperación.',
  ],
  [
    '1 image was deleted. Then the gateway could not go on (reference 1a2b3c4d): 3 images still set aside. Try again.',
    '1 imagen se eliminó. Después la pasarela no pudo continuar (referencia 1a2b3c4d): quedan apartadas 3 imágenes. Inténtelo de nuevo.',
  ],
  [
    'It is off the list because it is done: its images arrived on 2026-11-21 at 10:42.',
    'No está en la lista porque está hecha: sus imágenes llegaron el 2026-11-21 a las 10:42.',
  ],
  [
    'The exam cannot be sent to this device: its PatientName takes more bytes than this device has room for, also in Latin letters.',
    'La exploración no se puede enviar a este dispositivo: su PatientName ocupa más bytes de los que este dispositivo admite, también en letras latinas.',
  ],
  [
    'PatientName, StudyDescription sent in Latin letters: the device’s character set lacks its own',
    'PatientName, StudyDescription enviado en letras latinas: el juego de caracteres del dispositivo no tiene las suyas',
  ],
  [
    'PatientName sent in Latin letters: the device’s character set lacks its own; StudyDescription cut: the device counts bytes, and has no room for more',
    'PatientName enviado en letras latinas: el juego de caracteres del dispositivo no tiene las suyas; StudyDescription cortado: el dispositivo cuenta bytes y no tiene espacio para más',
  ],
  [
    'PatientSize is not a number from 0 to 300; it is sent empty',
    'PatientSize no es un número de 0 a 300; se envía vacío',
  ],
  [
    'The device’s query covers 2026-11-20 to 2026-11-22, modality CT.',
    'La consulta del dispositivo abarca 2026-11-20 a 2026-11-22, modalidad CT.',
  ],
  [
    'CT 1 (CT1) has called; last on 2026-11-22 10:42 from 10.0.3.7.',
    'CT 1 (CT1) ha llamado; por última vez el 2026-11-22 10:42 desde 10.0.3.7.',
  ],
  [
    'CT2 called from 10.0.3.9, last on 2026-11-22 10:42, which is not the address of this device (10.0.3.7).',
    'CT2 llamó desde 10.0.3.9, por última vez el 2026-11-22 10:42, que no es la dirección de este dispositivo (10.0.3.7).',
  ],
  [
    'The findings name the left upper lobe, the impression the right upper lobe only.',
    'Los hallazgos nombran «left upper lobe»; la impresión, solo «right upper lobe».',
  ],
  [
    'The study is of the left side; the text speaks of the right side only.',
    'El estudio es del lado izquierdo; el texto solo habla del lado derecho.',
  ],
  [
    'The patient is male; the text speaks of “uterus”.',
    'Sexo del paciente: masculino; el texto habla de «uterus».',
  ],
  [
    'Since the report was begun the patient’s data changed: name, date of birth. Look whether it is the same patient.',
    'Desde que se empezó el informe cambiaron los datos del paciente: el nombre, la fecha de nacimiento. Compruebe si es el mismo paciente.',
  ],
  ['2 fields are not filled in: [side]', '2 campos están sin rellenar: [side]'],
  [
    'The images may be of another patient than the study: the name and the patient ID in them is another one.',
    'Las imágenes pueden ser de otro paciente que el estudio: en ellas no coincide: el nombre y el identificador del paciente.',
  ],
  [
    'There are no images of this study in the archive, and no endpoint takes study.access_requested: an administrator sets one up under Partner.',
    'No hay imágenes de este estudio en el archivo, y ningún punto de conexión recibe study.access_requested: un administrador configura uno en Socio.',
  ],
  [
    'This password is too short. Choose another, such as four words that do not belong together.',
    'Esta contraseña es demasiado corta. Elija otra, por ejemplo cuatro palabras que no tengan relación entre sí.',
  ],
  [
    'The invitation cannot be changed: it was revoked.',
    'La invitación no se puede cambiar: se revocó.',
  ],
  ['This event does not wait any more: it is done.', 'Este evento ya no espera: está hecho.'],
  [
    'Too many wrong passwords for this account. Wait a moment, then try again.',
    'Demasiados intentos incorrectos de contraseñas en esta cuenta. Espere un momento e inténtelo de nuevo.',
  ],
  [
    'body.phone: must be 10 to 15 digits (and 2 more)',
    'body.phone: debe tener de 10 a 15 dígitos (y 2 más)',
  ],
  [
    'not asked, as the last 3 calls failed (it answered 500); next try in 12 s',
    'no se preguntó, porque las últimas 3 llamadas fallaron (respondió 500); próximo intento en 12 s',
  ],
  [
    'The DICOM listener can have 0.0.0.0:11112: the port is free.',
    'El servicio DICOM puede usar 0.0.0.0:11112: el puerto está libre.',
  ],
  [
    'The window cannot have 127.0.0.1:8080: node, process 4242, uses it.',
    'La ventana no puede usar 127.0.0.1:8080: lo usa node, proceso 4242.',
  ],
  ['One device is known.', 'Se conoce un dispositivo.'],
  [
    '3 events were never tried with the partner.',
    '3 eventos no se han probado nunca con el socio.',
  ],
  ['2 owners sign in by password alone.', '2 propietarios inician sesión solo con contraseña.'],
  [
    'It ends within its pixel data: none of 12 frames is whole.',
    'Termina dentro de sus datos de píxeles: fotogramas completos, ninguno de 12.',
  ],
  [
    'It should have 12 frames, but none is in its pixel data.',
    'Debería tener 12 fotogramas, pero en sus datos de píxeles está ninguno.',
  ],
]
