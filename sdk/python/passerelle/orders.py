"""Orders: each is carried out once, whatever the network loses."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from .calls import Order
from .models import Link, Payment, read_link, read_payment
from .transport import Request, json_of
from .types import BillOrder, LinkOrder, PaymentOrder, RefundOrder
from .verb import Verbs, part, with_id

BeforeSend = Callable[[str], None]


class Orders(Verbs):
    """``before_send`` is given the external id before anything is sent: store it there."""

    def collect(
        self, order: PaymentOrder, *, before_send: Optional[BeforeSend] = None
    ) -> Payment:
        """Asks a customer to pay (``…_CASHOUT``)."""
        return self._init("CASHOUT", order, before_send)

    def pay_out(
        self, order: PaymentOrder, *, before_send: Optional[BeforeSend] = None
    ) -> Payment:
        """Sends money to a customer's wallet (``…_CASHIN``)."""
        return self._init("CASHIN", order, before_send)

    def sell_airtime(
        self, order: PaymentOrder, *, before_send: Optional[BeforeSend] = None
    ) -> Payment:
        """Recharges a customer's phone (``…_AIRTIME``)."""
        return self._init("AIRTIME", order, before_send)

    def pay_bill(self, order: BillOrder, *, before_send: Optional[BeforeSend] = None) -> Payment:
        """Pays a bill, or tops a prepaid meter up; ``token`` is then its recharge code."""
        code = order.get("serviceCode")
        # A bill imposes its amount; that of a meter is chosen.
        amount = order.get("amount") if code == "PREPAID_SN_BILL" else None
        wanted = {
            "type": "BILL",
            "service_code": code,
            "amount": amount,
            "number": order.get("reference_client"),
            "reference_facture": order.get("reference_facture"),
        }
        return self._pay("/api/v1/billing/pay", order, wanted, before_send)

    def refund(
        self,
        id: str,
        order: Optional[RefundOrder] = None,
        *,
        before_send: Optional[BeforeSend] = None,
    ) -> Payment:
        """Sends a successful collection or link back: all that is left of it, or ``amount``."""
        body = order or {}
        wanted = {"type": "REFUND", "amount": body.get("amount")}
        path = f"/api/v1/transaction/refund/{part(id)}"
        return self._pay(path, body, wanted, before_send, original_id=id)

    def create_link(self, order: LinkOrder, *, before_send: Optional[BeforeSend] = None) -> Link:
        """Makes the address of a payment page, to be sent to a customer."""
        body, external_id = with_id(order, order.get("ItemPrice"))
        price, name = order.get("ItemPrice"), order.get("ItemName")
        if before_send is not None:
            before_send(external_id)
        return self._calls.order(
            Order(
                external_id,
                Request("POST", "/api/v1/transaction/merchant/get-link", body),
                Request("GET", f"/api/v1/merchant/{part(external_id)}"),
                lambda answer, found_by: read_link(answer["transaction"], found_by),
                lambda link: link.amount == price and link.item_name == name,
            )
        )

    def confirm_code(self, id: str, otp: str) -> Payment:
        """Hands on the one-time code that a customer of WALLETD was sent."""
        # All that a confirmation leaves out; a one-time code is only asked for a collection.
        known = {"Type": "CASHOUT", "serviceCode": "", "number": ""}
        body = json_of({"transactionId": id, "otp": otp})
        return self._calls.confirm(
            Request("POST", "/api/v1/transaction/confirm/walletd", body),
            _lookup(id),
            lambda answer, found_by: read_payment(answer["transaction"], found_by, **known),
        )

    def _init(
        self, type: str, order: PaymentOrder, before_send: Optional[BeforeSend]
    ) -> Payment:
        code = order.get("serviceCode")
        if not isinstance(code, str) or not code.endswith(f"_{type}"):
            raise ValueError(f"serviceCode must end in _{type}")
        wanted = {
            "type": type,
            "service_code": code,
            "amount": order.get("amount"),
            "number": order.get("number"),
        }
        return self._pay("/api/v1/transaction/init", order, wanted, before_send)

    def _pay(
        self,
        path: str,
        order: Mapping[str, Any],
        wanted: Mapping[str, Any],
        before_send: Optional[BeforeSend],
        original_id: Optional[str] = None,
    ) -> Payment:
        """Pays once; `wanted` is what a record must be like to be this payment's."""
        body, external_id = with_id(order, order.get("amount"))
        if before_send is not None:
            before_send(external_id)
        known = {"serviceCode": wanted.get("service_code") or ""}

        def read(answer: Mapping[str, Any], found_by: str) -> Payment:
            original = (answer.get("refund") or {}).get("originalTransactionId", "")
            return read_payment(answer["transaction"], found_by, original=original, **known)

        def is_mine(payment: Payment) -> bool:
            pairs = [(value, getattr(payment, name)) for name, value in wanted.items()]
            return all(one is None or _bare(one) == _bare(other) for one, other in pairs)

        request = Request("POST", path, body)
        original = None if original_id is None else _lookup(original_id)
        return self._calls.order(
            Order(external_id, request, _lookup(external_id), read, is_mine, original, original_id)
        )


def _lookup(id: str) -> Request:
    return Request("GET", f"/api/v1/transaction/{part(id)}")


def _bare(value: Any) -> Any:
    # Billers write customers with leading zeros.
    return value.lstrip("0") if isinstance(value, str) else value
