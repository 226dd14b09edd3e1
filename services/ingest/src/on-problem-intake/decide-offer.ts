/** What ingest knows of a record. */
export interface KnownRecord {
  /** Of the last offer that was taken; from 1. */
  readonly version: number;
  readonly contentSha256: string;
  /** Who offered it first; nobody else changes or withdraws it. */
  readonly submitter: string;
  readonly state: 'accepted' | 'rejected' | 'withdrawn';
}

/** What comes in about a record. */
export type Offer =
  | { readonly kind: 'record'; readonly contentSha256: string; readonly submitter: string }
  /** The record could not be read; the hash is that of its bytes. */
  | { readonly kind: 'faulty'; readonly contentSha256: string; readonly submitter: string }
  | { readonly kind: 'withdrawal'; readonly submitter: string };

export type OfferDecision =
  /** A first or a changed content. */
  | { readonly kind: 'accept'; readonly next: KnownRecord }
  /** It came as it was known: nothing changes, and its status says so. */
  | { readonly kind: 'unchanged'; readonly next: KnownRecord }
  /** Offered again after its producer had withdrawn it. */
  | { readonly kind: 'restore'; readonly next: KnownRecord }
  | { readonly kind: 'withdraw'; readonly next: KnownRecord }
  /** A record that can't be read, and of which nothing better is known. */
  | { readonly kind: 'reject'; readonly next: KnownRecord }
  /** The offer is laid aside; what is known stays as it is. */
  | { readonly kind: 'refuse'; readonly code: 'not_owner' | 'invalid_record' | 'unknown_record' };

/** Decides what an offer does to a record. Pure; offers of one record are decided one after the other. */
export function decideOffer(known: KnownRecord | undefined, offer: Offer): OfferDecision {
  switch (offer.kind) {
    case 'record':
      return decideRecord(known, offer);
    case 'faulty':
      return decideFaulty(known, offer);
    case 'withdrawal':
      return decideWithdrawal(known, offer);
  }
}

function decideRecord(known: KnownRecord | undefined, offer: Offer & { kind: 'record' }): OfferDecision {
  const accepted = { contentSha256: offer.contentSha256, submitter: offer.submitter, state: 'accepted' } as const;
  if (known === undefined) return { kind: 'accept', next: { version: 1, ...accepted } };
  // A record that nobody could read does not hold its id against one who can write it.
  if (known.state === 'rejected') return { kind: 'accept', next: { version: known.version + 1, ...accepted } };
  const same = known.contentSha256 === offer.contentSha256;
  if (same && known.state === 'accepted') return { kind: 'unchanged', next: known };
  if (known.submitter !== offer.submitter) return { kind: 'refuse', code: 'not_owner' };
  if (same) return { kind: 'restore', next: { ...known, state: 'accepted' } };
  return { kind: 'accept', next: { version: known.version + 1, ...accepted } };
}

function decideFaulty(known: KnownRecord | undefined, offer: Offer & { kind: 'faulty' }): OfferDecision {
  const rejected = { contentSha256: offer.contentSha256, submitter: offer.submitter, state: 'rejected' } as const;
  if (known === undefined) return { kind: 'reject', next: { version: 1, ...rejected } };
  // A slip in a new version does not end the old one.
  if (known.state !== 'rejected') return { kind: 'refuse', code: 'invalid_record' };
  if (known.contentSha256 === offer.contentSha256) return { kind: 'reject', next: known };
  return { kind: 'reject', next: { version: known.version + 1, ...rejected } };
}

function decideWithdrawal(known: KnownRecord | undefined, offer: Offer & { kind: 'withdrawal' }): OfferDecision {
  if (known === undefined) return { kind: 'refuse', code: 'unknown_record' };
  if (known.submitter !== offer.submitter) return { kind: 'refuse', code: 'not_owner' };
  if (known.state === 'withdrawn') return { kind: 'unchanged', next: known };
  return { kind: 'withdraw', next: { ...known, state: 'withdrawn' } };
}
