import type { Sentence } from '../catalogue.ts'

export const DESTINATIONS: readonly Sentence[] = [
  ['There is no such study.', 'No existe ese estudio.'],
  [
    'No port is entered for this device: enter the port that it listens at.',
    'No se ha indicado un puerto para este dispositivo: indique el puerto en el que escucha.',
  ],
  [
    'The address of this device is not known: enter it, or let the device call once.',
    'No se conoce la dirección de este dispositivo: indíquela, o deje que el dispositivo llame una vez.',
  ],
  ['There is no such destination.', 'No existe ese destino.'],
  ['Another destination is called {} already.', 'Otro destino ya se llama {0}.'],
  ['{} is this node already.', '{0} ya es este nodo.'],
  [
    'This is the gateway itself: it cannot send images to itself.',
    'Esta es la propia pasarela: no puede enviarse imágenes a sí misma.',
  ],
  ['The certificate cannot be read.', 'El certificado no se puede leer.'],
  [
    'Images for {} are here still, {} waiting and {} not taken: send them, or give them up first.',
    'Aún hay aquí imágenes para {0}, {1} en espera y {2} no aceptadas: envíelas o abandónelas primero.',
  ],
  [
    '{} takes no images now: {}. Waiting for it here: {}.',
    '{0} no acepta imágenes ahora: {1}. Esperan aquí: {2}.',
  ],
  ['{} takes images again.', '{0} vuelve a aceptar imágenes.'],
  ['{} sent to {}.', 'Envío a {1}: {0}.'],
  [
    '{} not sent to {}: {}. Somebody has to decide what becomes of them.',
    'Sin enviar a {1}, {0}: {2}. Alguien tiene que decidir qué se hace con ellas.',
  ],
  ['{} is switched off: switch it on first.', '{0} está desactivado: actívelo primero.'],
  [
    '{} is not set up to be asked for earlier studies.',
    '{0} no está configurado para pedirle estudios anteriores.',
  ],
  [
    'Every image of it is at {}, or on its way there.',
    'Todas sus imágenes están en {0} o de camino.',
  ],
  ['{} queued for {}.', 'En cola para {1}: {0}.'],
  ['Nothing waits.', 'No hay nada en espera.'],
  ['{} tried now.', 'Se intenta ahora: {0}.'],
  ['{} given up.', 'Se abandona: {0}.'],
  [
    '{} studies are being fetched already: wait until one of them is here.',
    'Ya se están obteniendo {0} estudios: espere a que uno de ellos esté aquí.',
  ],
  ['There are no images of this study.', 'No hay imágenes de este estudio.'],
  [
    'must differ from that of every other destination',
    'debe ser distinto del de los demás destinos',
  ],
  [
    'must differ from that of {}, or have another host or port',
    'debe ser distinto del de {0}, o tener otro host o puerto',
  ],
  ['must be that of another node', 'debe ser el de otro nodo'],
  ['must be a certificate in PEM form', 'debe ser un certificado en formato PEM'],
  [
    'the gateway has an internal error; its log says more',
    'la pasarela tiene un error interno; su registro dice más',
  ],
  [
    'a newer version of the image took its place',
    'una versión más nueva de la imagen ocupó su lugar',
  ],
  [
    'the image was set aside here: it is sent only once a person has released it',
    'la imagen se apartó aquí: solo se envía cuando una persona la ha liberado',
  ],
  ['the image was discarded here', 'la imagen se descartó aquí'],
  [
    'the identity of the image was corrected: a corrected copy took its place',
    'se corrigió la identidad de la imagen: una copia corregida ocupó su lugar',
  ],
  [
    'the image was not received to its end: its device sends it again',
    'la imagen no se recibió hasta el final: su dispositivo la envía de nuevo',
  ],
  ['the transcoded file is of another instance', 'el archivo convertido es de otra instancia'],
  ['the gateway could not write it', 'la pasarela no pudo escribirlo'],
  [
    'the gateway has too little disk space to convert it',
    'la pasarela tiene muy poco espacio en disco para convertirla',
  ],
  ['it does not take images of this kind ({})', 'no acepta imágenes de este tipo ({0})'],
  ['its file cannot be read here', 'su archivo no se puede leer aquí'],
  [
    'it takes {} only as {}, which cannot be made here',
    'solo acepta {0} como {1}, que no se puede crear aquí',
  ],
  [
    'it does not take {}, and the image cannot be converted here: {}',
    'no acepta {0}, y la imagen no se puede convertir aquí: {1}',
  ],
  ['it has no room left, for example on its disk', 'no le queda espacio, por ejemplo en su disco'],
  [
    'it says that the image is not of the kind it is sent as',
    'dice que la imagen no es del tipo con el que se envía',
  ],
  ['it cannot read the image', 'no puede leer la imagen'],
  [
    'it says that it has another image with this identifier already',
    'dice que ya tiene otra imagen con este identificador',
  ],
  [
    'it says that the identifier of the image is not valid',
    'dice que el identificador de la imagen no es válido',
  ],
  ['it does not take images of this kind', 'no acepta imágenes de este tipo'],
  [
    'it does not allow this gateway to store images there',
    'no permite que esta pasarela guarde imágenes allí',
  ],
  ['it is overloaded', 'está sobrecargado'],
  ['it could not process the image', 'no pudo procesar la imagen'],
  ['it did not store the image', 'no guardó la imagen'],
  [
    'it stored the image with a warning (status {})',
    'guardó la imagen con una advertencia (estado {0})',
  ],
  ['{} (status {})', '{0} (estado {1})'],
  ['{} does not send studies (C-MOVE, Study Root)', '{0} no envía estudios (C-MOVE, Study Root)'],
  ['{} gave no final answer', '{0} no dio una respuesta final'],
  [
    '{} is out of resources: it could not count the images',
    '{0} no tiene recursos: no pudo contar las imágenes',
  ],
  [
    '{} could not send here: check the host and port it has for {}, and that this gateway takes its images',
    '{0} no pudo enviar aquí: compruebe el host y el puerto que tiene para {1}, y que esta pasarela acepta sus imágenes',
  ],
  [
    '{} does not know {} as a destination: add it there, with the host and port of this gateway',
    '{0} no conoce {1} como destino: añádalo allí, con el host y el puerto de esta pasarela',
  ],
  ['{} does not understand the request', '{0} no entiende la petición'],
  [
    '{} does not let {} retrieve: allow it there',
    '{0} no permite que {1} recupere imágenes: permítalo allí',
  ],
  ['cancelled after {} images', 'cancelado después de {0} imágenes'],
  ['{} has no images of this study', '{0} no tiene imágenes de este estudio'],
  ['{} images came', 'llegaron {0} imágenes'],
  ['{} images came, {} could not be sent', 'llegaron {0} imágenes, {1} no se pudieron enviar'],
  [
    'this installation is not complete: native-worker is missing',
    'esta instalación no está completa: falta native-worker',
  ],
  ['there was no answer within {} s', 'no hubo respuesta en {0} s'],
  ['dicom-dimse-native broke down over it', 'dicom-dimse-native falló con ello'],
  ['it does not load', 'no se carga'],
  [
    'dicom-dimse-native is not installed on this computer: run npm run native in the folder of the gateway, then start the gateway again',
    'dicom-dimse-native no está instalado en este ordenador: ejecute npm run native en la carpeta de la pasarela y reinicie la pasarela',
  ],
  ['{} answers: the connection works', '{0} responde: la conexión funciona'],
  [
    '{} is nothing an instance is converted to',
    '{0} no es nada a lo que se convierta una instancia',
  ],
  [
    'the instance has no valid SOP Instance UID',
    'la instancia no tiene un SOP Instance UID válido',
  ],
  ['the instance cannot be converted to {}', 'la instancia no se puede convertir a {0}'],
  ['the connection could not be tested', 'no se pudo probar la conexión'],
  ['{} answers no queries (C-FIND, Study Root)', '{0} no responde consultas (C-FIND, Study Root)'],
  ['{} could not answer: status {}', '{0} no pudo responder: estado {1}'],
  ['{} does not take {}: switch it on there', '{0} no acepta {1}: actívelo allí'],
  ['unknown fault', 'fallo desconocido'],
  ['the file cannot be read ({})', 'el archivo no se puede leer ({0})'],
  [
    '{} has no worklist (C-FIND, Modality Worklist)',
    '{0} no tiene lista de trabajo (C-FIND, Modality Worklist)',
  ],
  ['must be a host name or an address', 'debe ser un nombre de host o una dirección'],
  [
    'must name a patient ID, a patient name or an accession number',
    'debe indicar un identificador de paciente, un nombre de paciente o un número de acceso',
  ],
  ['{} refused, status {}', '{0} lo rechazó, estado {1}'],
  ['{} refused, status {}: {}', '{0} lo rechazó, estado {1}: {2}'],
]
