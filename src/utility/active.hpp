// The scalar that a custom utility is recorded with. Part of rgu::autodiff.
#pragma once

#include <adolc/adouble.h>

#include <cstddef>

namespace rgu {

// A number whose operations ADOL-C records. Unlike ADOL-C's own scalar it is one type: what its
// operations return is again an Active, so `auto`, `std::max` and templates over the scalar work as
// they do with double. It also counts what it does, so that memory for a recording can be set aside
// before it starts (tape.cpp says why).
//
// Offers + - * / with Active and double, comparisons, and the functions below; abs, max and min are
// recorded as functions, so they may change sides without a new recording, while a comparison that
// changes its answer needs one. Only for use inside the value function of a custom utility.
class Active {
 public:
  Active() { spend(kBasic); }
  Active(double value) : value_(value) { spend(kBasic); }  // NOLINT: constants mix with Active
  Active(const Active& other) : value_(other.value_) { spend(kBasic); }
  Active& operator=(const Active& other) {
    value_ = other.value_;
    spend(kBasic);
    return *this;
  }
  ~Active() = default;

  Active& operator+=(const Active& x) { return value_ += x.value_, spend(kBasic), *this; }
  Active& operator-=(const Active& x) { return value_ -= x.value_, spend(kBasic), *this; }
  Active& operator*=(const Active& x) { return value_ *= x.value_, spend(kBasic), *this; }
  Active& operator/=(const Active& x) { return value_ /= x.value_, spend(kBasic), *this; }

  friend Active operator+(const Active& x) { return x; }
  friend Active operator-(const Active& x) { return {kBasic, -x.value_}; }

  friend Active operator+(const Active& x, const Active& y) {
    return {kBasic, x.value_ + y.value_};
  }
  friend Active operator+(const Active& x, double y) { return {kBasic, x.value_ + y}; }
  friend Active operator+(double x, const Active& y) { return {kBasic, x + y.value_}; }
  friend Active operator-(const Active& x, const Active& y) {
    return {kBasic, x.value_ - y.value_};
  }
  friend Active operator-(const Active& x, double y) { return {kBasic, x.value_ - y}; }
  friend Active operator-(double x, const Active& y) { return {kBasic, x - y.value_}; }
  friend Active operator*(const Active& x, const Active& y) {
    return {kBasic, x.value_ * y.value_};
  }
  friend Active operator*(const Active& x, double y) { return {kBasic, x.value_ * y}; }
  friend Active operator*(double x, const Active& y) { return {kBasic, x * y.value_}; }
  friend Active operator/(const Active& x, const Active& y) {
    return {kBasic, x.value_ / y.value_};
  }
  friend Active operator/(const Active& x, double y) { return {kBasic, x.value_ / y}; }
  friend Active operator/(double x, const Active& y) { return {kBasic, x / y.value_}; }

  friend bool operator<(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ < y.value_;
  }
  friend bool operator>(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ > y.value_;
  }
  friend bool operator<=(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ <= y.value_;
  }
  friend bool operator>=(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ >= y.value_;
  }
  friend bool operator==(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ == y.value_;
  }
  friend bool operator!=(const Active& x, const Active& y) {
    return spend(kBasic), x.value_ != y.value_;
  }

  friend Active exp(const Active& x) { return {kFunction, exp(x.value_)}; }
  friend Active log(const Active& x) { return {kFunction, log(x.value_)}; }
  friend Active log10(const Active& x) { return {kFunction, log10(x.value_)}; }
  friend Active sqrt(const Active& x) { return {kFunction, sqrt(x.value_)}; }
  friend Active sin(const Active& x) { return {kFunction, sin(x.value_)}; }
  friend Active cos(const Active& x) { return {kFunction, cos(x.value_)}; }
  friend Active tan(const Active& x) { return {kFunction, tan(x.value_)}; }
  friend Active asin(const Active& x) { return {kFunction, asin(x.value_)}; }
  friend Active acos(const Active& x) { return {kFunction, acos(x.value_)}; }
  friend Active atan(const Active& x) { return {kFunction, atan(x.value_)}; }
  friend Active sinh(const Active& x) { return {kFunction, sinh(x.value_)}; }
  friend Active cosh(const Active& x) { return {kFunction, cosh(x.value_)}; }
  friend Active tanh(const Active& x) { return {kFunction, tanh(x.value_)}; }
  friend Active erf(const Active& x) { return {kFunction, erf(x.value_)}; }
  friend Active fabs(const Active& x) { return {kFunction, fabs(x.value_)}; }
  friend Active abs(const Active& x) { return fabs(x); }
  friend Active fmax(const Active& x, const Active& y) {
    return {kFunction, fmax(x.value_, y.value_)};
  }
  friend Active fmin(const Active& x, const Active& y) {
    return {kFunction, fmin(x.value_, y.value_)};
  }
  friend Active max(const Active& x, const Active& y) { return fmax(x, y); }
  friend Active min(const Active& x, const Active& y) { return fmin(x, y); }
  friend Active pow(const Active& x, double y) { return {kFunction, pow(x.value_, y)}; }
  friend Active pow(const Active& x, const Active& y) { return {kPower, pow(x.value_, y.value_)}; }
  friend Active pow(double x, const Active& y) { return {kPower, pow(x, y.value_)}; }

 private:
  friend class Tape;

  // Upper bounds on the entries that one operation leaves on a tape.
  enum Cost : std::size_t { kBasic = 4, kFunction = 12, kPower = 64 };

  Active(Cost cost, const adub& result) : value_(result) { spend(cost); }
  Active(Cost cost, const adouble& result) : value_(result) { spend(cost); }

  static void spend(Cost cost) { spent_ += cost; }

  static inline std::size_t spent_ = 0;  // guarded, as all of ADOL-C, by the mutex in tape.cpp

  adouble value_;
};

}  // namespace rgu
