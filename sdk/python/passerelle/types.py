"""The interface's own words: what orders are made of, and answers that are given as they are."""

from __future__ import annotations

from typing import List, Optional, TypedDict


class PaymentOrderRequired(TypedDict):
    serviceCode: str
    amount: int
    number: str
    callBackURL: str
    successUrl: str
    failureUrl: str


class PaymentOrder(PaymentOrderRequired, total=False):
    """Of collect, pay_out and sell_airtime."""

    externalTransactionId: str
    sub_merchant_id: str


class RefundOrder(TypedDict, total=False):
    amount: int
    reason: str
    externalTransactionId: str
    callBackURL: str


class BillCustomer(TypedDict):
    serviceCode: str
    reference_client: str


class BillOrder(BillCustomer, total=False):
    amount: int
    reference_facture: str
    externalTransactionId: str
    callBackURL: str
    customData: str
    sub_merchant_id: str


class LinkOrderRequired(TypedDict):
    ItemName: str
    ItemPrice: int
    callBackURL: str
    successUrl: str
    failureUrl: str


class LinkOrder(LinkOrderRequired, total=False):
    externalTransactionId: str
    customData: str
    ClientName: str
    ClientPhone: str
    Email: str
    sub_merchant_id: str
    expiresIn: int
    language: str


#: Filters of lists, for those whose names are words of Python: {"from": "2026-11-16"}.
PaymentFilter = TypedDict(
    "PaymentFilter",
    {
        "limit": int,
        "after": str,
        "from": str,
        "to": str,
        "number": str,
        "sub_merchant_id": str,
        "externalTransactionIdPrefix": str,
        "status": str,
        "type": str,
        "service": str,
    },
    total=False,
)

LinkFilter = TypedDict(
    "LinkFilter",
    {
        "limit": int,
        "after": str,
        "from": str,
        "to": str,
        "number": str,
        "sub_merchant_id": str,
        "externalTransactionIdPrefix": str,
        "status": str,
    },
    total=False,
)


class Bill(TypedDict):
    paymentTransactionNumber: Optional[str]
    referenceClient: str
    referenceFacture: str
    nom: str
    prenom: Optional[str]
    montant: int
    frais: int
    total: int
    dateEcheance: str
    paid: bool
    address: Optional[str]
    meterStatus: Optional[str]


class Bills(TypedDict):
    referenceClient: str
    bills: List[Bill]


class Balance(TypedDict):
    balance: int
    currency: str
    lastUpdate: str


class Service(TypedDict):
    serviceName: str
    serviceCode: str
    serviceType: str
    country: str
    available: bool


class SubMerchantDetails(TypedDict, total=False):
    description: str
    legalName: str
    businessActivity: str
    managerName: str
    websiteURL: str
    phoneNumber: str
    city: str
    address: str
    zipcode: str


class SubMerchantOrder(SubMerchantDetails):
    name: str
    commercialName: str
    countries: List[str]


class SubMerchantChanges(SubMerchantDetails, total=False):
    name: str
    commercialName: str
    countries: List[str]
    isActive: bool
    isDefault: bool


class SubMerchant(SubMerchantDetails):
    subMerchantId: str
    name: str
    commercialName: str
    countries: List[str]
    isActive: bool
    isDefault: bool
    CREATED_AT: str


class WebhookEventRequired(TypedDict):
    id: str
    externalTransactionId: str
    transactionType: str
    AMOUNT: int
    FEE: int
    PHONE_NUMBER: str
    STATUS: str
    CUSTOM_DATA: str
    COMPLETED_AT: str
    BALANCE: int
    PREVIOUS_BALANCE: int
    CURRENT_BALANCE: int
    FAILURE_CODE: str
    FAILURE_MESSAGE: str


class WebhookEvent(WebhookEventRequired, total=False):
    """What a webhook says of a payment or link that has ended."""

    #: Of a refund: the payment that it sends back.
    ORIGINAL_ID: str
    #: Of a prepaid top-up: its recharge codes.
    TOKEN: str


class FeedEvent(TypedDict):
    """An event of the feed: ``id`` is the ``webhook-id`` of its deliveries."""

    id: str
    cursor: str
    createdAt: str
    event: WebhookEvent


class EventPage(TypedDict):
    events: List[FeedEvent]
    next: str


class Delivery(TypedDict):
    state: str
    httpStatus: Optional[int]
    problem: Optional[str]
    nextTryAt: Optional[str]
