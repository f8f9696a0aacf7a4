/** What one does because the service cannot cancel. */
export const CANCELLING =
  'The service has no operation that cancels a shipment, a label or a subscription. Ask the carrier or the provider of the service to cancel it; `waybill history show REF` shows the ids that they need. The journal keeps the booking, and its key stays taken: a replacement is another order, with a key of its own. If the booking is unknown and they do not have it, resolve it: `waybill history resolve REF`';
